import type { Sql } from '../sql.ts'
import { type CopyEnd, type LastIds, numberedTables } from '../table-copy.ts'
import type { Pool } from './connection.ts'
import { sqlOn } from './sql-on.ts'

const timeoutMs = 600_000

const place = "SELECT system_identifier || ' ' || current_database() AS place FROM pg_control_system()"

export function postgresEnd(pool: Pool): CopyEnd {
  const read: CopyEnd['read'] = (work) => pool.use(timeoutMs, (connection) => work(sqlOn(connection)))
  return {
    read,
    write: (work) => pool.transaction(timeoutMs, '', (connection) => work(sqlOn(connection))),
    leadKey: ['account_id', 'id'],
    lastIds: () => read(lastIds),
    place: async () => (await read((sql) => sql.get(place)))?.place,
    finish: (ids) =>
      read(async (sql) => {
        for (const table of numberedTables) {
          const last = (await sql.get(`SELECT greatest(?::bigint, max(id)) AS id FROM ${table}`, ids[table]))?.id
          // With `false` 1 is still to come: a copy of a table that never had a row is not newer than it.
          await sql.get(
            `SELECT setval(pg_get_serial_sequence('${table}', 'id'), greatest(1, ?::bigint), ?::bigint > 0)`,
            ...[last, last],
          )
        }
        await sql.run('ANALYZE')
      }),
    close: () => pool.close(),
  }
}

async function lastIds(sql: Sql): Promise<LastIds> {
  const given = numberedTables.map(
    (table) => `coalesce(pg_sequence_last_value(pg_get_serial_sequence('${table}', 'id')), 0) AS ${table}`,
  )
  return (await sql.get(`SELECT ${given.join(', ')}`)) as LastIds
}
