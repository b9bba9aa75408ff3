import { randomBytes } from 'node:crypto'
import { UnusableDatabase } from '../errors.ts'
import { assertKnown, firstVersion, latestVersion, migrationTo, unfinishedCopy } from '../migrations.ts'
import { refKeyBytes } from '../ref.ts'
import { type Connection, despiteDeadlocks, type Pool } from './connection.ts'
import { distributeTables, isDistributed, isWorker } from './distribution.ts'

/** Older servers lack what the statements need. */
const oldestServer = 150_000
/** "LCal", so that no other program's lock is meant. */
const migrationLock = 0x4c43616c
/** What looks at all leads, or copies every row, may take hours, and so may the wait for a node that does it. */
export const longestMs = 86_400_000

/**
 * Brings the database to `latestVersion`, each migration in a transaction of its own, one node at a time.
 * Returns how many were applied. @throws UnusableDatabase when it is newer than this program, not Lastcall's, or holds
 * an unfinished copy and is not the target of one
 */
export async function migrate(pool: Pool, mayCreate = true, isCopyTarget = false): Promise<number> {
  let applied = 0
  for (;;) {
    const stepDone = await despiteDeadlocks(() =>
      pool.transaction(longestMs, '', (on) => step(on, mayCreate, isCopyTarget)),
    )
    if (stepDone === 'done') return applied
    applied += 1
  }
}

async function step(connection: Connection, mayCreate: boolean, isCopyTarget: boolean): Promise<'done' | 'applied'> {
  await lockMigrations(connection)
  const version = await checkVersion(connection, isCopyTarget)
  assertKnown(version, mayCreate)
  if (version === latestVersion) return 'done'
  const next = Math.max(version + 1, firstVersion)
  const isDivided = version > 0 && (await isDistributed(connection))
  if (isDivided) await connection.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'", [])
  for (const command of commandsOf(migrationTo(next, 'postgres'))) await connection.query(command, [])
  if (isDivided) await distributeTables(connection)
  if (version === 0) {
    await connection.query('CREATE TABLE schema_version (version bigint NOT NULL)', [])
    await connection.query('INSERT INTO schema_version VALUES (?)', [next])
    await connection.query('INSERT INTO installation (id, ref_key) VALUES (1, ?)', [randomBytes(refKeyBytes)])
  } else await connection.query('UPDATE schema_version SET version = ?', [next])
  return 'applied'
}

/** Until the transaction ends, no other process can migrate or divide the database. Waits for one that does. */
export async function lockMigrations({ query }: Connection): Promise<void> {
  await query('SET LOCAL lock_timeout = 0', [])
  await query('SET LOCAL statement_timeout = 0', [])
  await query('SELECT pg_advisory_xact_lock(?)', [migrationLock])
}

/** PostgreSQL gets one command at a time: each ends with its line, and none has a semicolon at a line's end inside. */
function commandsOf(migration: string): string[] {
  return migration.split(/;\s*\n/).filter((command) => command.trim() !== '')
}

type Found = { server: number; isKnown: boolean; encoding: string; tables: number }

/** The version of a database of Lastcall's; 0 is an empty one. @throws UnusableDatabase */
async function checkVersion(connection: Connection, isCopyTarget: boolean): Promise<number> {
  const { rows } = await connection.query(
    // Other programs have a `schema_version` too.
    `SELECT current_setting('server_version_num')::int AS server, current_setting('server_encoding') AS encoding,
       to_regclass('schema_version') IS NOT NULL AND to_regclass('installation') IS NOT NULL AS "isKnown",
       (SELECT count(*) FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r')
         AS tables`,
    [],
  )
  const { server, isKnown, encoding, tables: tableCount } = rows[0] as Found
  if (server < oldestServer) throw new UnusableDatabase('the database must be PostgreSQL 15 or later')
  // Ids that a worker gives do not fit a ref, and other servers would not hear of changes made there.
  if (await isWorker(connection)) {
    throw new UnusableDatabase('this is a worker of a Citus cluster: DATABASE_URL must name its coordinator')
  }
  if (!isKnown) {
    // Other encodings lack letters that names may have: each such name would fail, and look like a defect of ours.
    if (encoding !== 'UTF8') {
      throw new UnusableDatabase("the database must be in UTF8: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0")
    }
    if (tableCount === 0) return 0
    throw new UnusableDatabase('the database has tables, but not those of Lastcall: give it one of its own')
  }
  const { rows: versions } = await connection.query(
    `SELECT version, to_regclass('unfinished_copy') IS NOT NULL AS "isUnfinished" FROM schema_version, installation`,
    [],
  )
  if (versions.length === 0) {
    throw new UnusableDatabase('the database was not restored to the end: restore it again, into an empty one')
  }
  if (versions[0]?.isUnfinished && !isCopyTarget) throw new UnusableDatabase(unfinishedCopy)
  return versions[0]?.version
}
