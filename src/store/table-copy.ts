// A whole installation from one database to another, table by table, in the order of their keys.
import { Refused } from './errors.ts'
import type { Row, Runner, Sql, Value } from './sql.ts'

/** What is copied, with its keys, in the order in which rows refer to each other. */
const copiedTables = {
  accounts: ['id'],
  api_keys: ['id'],
  campaigns: ['id'],
  rules: ['id'],
  offer_pages: ['id'],
  deleted_campaigns: ['id'],
  /** Of these three each engine has a key of its own. */
  leads: [],
  conversions: [],
  endpoints: [],
  daily_counts: ['account_id', 'campaign_id', 'day', 'page_id', 'kind', 'fetcher'],
  lead_counts: ['account_id', 'lead_id', 'day', 'kind', 'fetcher'],
  signup_counts: ['account_id', 'campaign_id', 'from_at'],
  clicked_leads: ['account_id', 'lead_id'],
  users: ['id'],
  recovery_codes: ['user_id', 'code_hash'],
  audit_entries: ['id'],
  page_sightings: ['page_id'],
  notices: ['account_id', 'endpoint_id', 'due_at', 'lead_id', 'kind', 'detail'],
  failed_deliveries: ['account_id', 'endpoint_id', 'due_at', 'lead_id', 'kind', 'detail'],
  sweeps: ['account_id', 'endpoint_id', 'campaign_id', 'cause'],
} as const
type CopiedTable = keyof typeof copiedTables
const names = Object.keys(copiedTables) as CopiedTable[]

/** Tables whose ids are never given twice. */
export const numberedTables = [
  ...(['accounts', 'campaigns', 'rules', 'offer_pages', 'leads', 'conversions', 'users', 'endpoints'] as const),
  'audit_entries',
] as const
/** The highest id that each has given. */
export type LastIds = Record<(typeof numberedTables)[number], number>

/** The database at one end of the copy. */
export type CopyEnd = Pick<Runner, 'read' | 'write'> & {
  /** The columns of the primary key of `leads`, `conversions` and `endpoints`. */
  leadKey: readonly string[]
  lastIds(): Promise<LastIds>
  /** Is the same for all URLs that lead to one database. */
  place(): Promise<string>
  /** Lets new ids begin behind those that were ever given, and tells servers of the change. */
  finish(lastIds: LastIds): Promise<void>
  close(): Promise<void>
}

type Copied = Record<CopiedTable, { from: number; to: number }>

/**
 * As many as one statement of either engine has values for. An entry of the audit log may have half a megabyte: a
 * thousand of those would take all memory.
 */
const rowsAtOnce = (table: CopiedTable) => (table === 'audit_entries' ? 50 : 1_000)

/** For a copy that cannot be finished. */
export const startOver = 'stop the servers on both, and copy to an empty database'

/**
 * Copies everything; rows that are there already are replaced, so that it may be called again after an interruption.
 * Nobody may write to either meanwhile.
 * @throws Refused where the target is the source, holds another installation or has been in use since
 */
export async function copyTables(
  from: CopyEnd,
  to: CopyEnd,
  onProgress: (table: CopiedTable, done: number) => void,
): Promise<Copied> {
  await claimTarget(from, to)
  const copied: Partial<Copied> = {}
  for (const table of names) {
    let done = 0
    for await (const rows of rowsOf(from, table)) {
      await to.write((sql) => sql.run(insertion(to, table, rows), ...rows.flatMap(valuesOf)))
      done += rows.length
      onProgress(table, done)
    }
    const written = await count(to, table)
    // The target stays unfinished: it has rows that were deleted at the source.
    if (written !== done) throw new Error(`${table}: the databases have different numbers of rows; ${startOver}`)
    copied[table] = { from: done, to: written }
  }
  await to.finish(await from.lastIds())
  await to.write((sql) => sql.run('DROP TABLE IF EXISTS unfinished_copy'))
  return copied as Copied
}

/** Of two copies into one empty database at once, the later is refused: key and first accounts come together. */
async function claimTarget(from: CopyEnd, to: CopyEnd): Promise<void> {
  const installationOf = async ({ read }: CopyEnd): Promise<Row> =>
    (await read((sql) => sql.get('SELECT ref_key, starts_since FROM installation'))) as Row
  const { ref_key: refKey, starts_since: startsSince } = await installationOf(from)
  const { ref_key: found } = await installationOf(to)
  if (Buffer.compare(refKey, found) === 0) {
    if ((await from.place()) === (await to.place())) throw new Refused('--to: must be a different database')
    await refuseNewer(from, to)
    await to.write(markUnfinished)
    return
  }
  const another = new Refused('--to: the database holds another installation')
  if ((await count(to, 'accounts')) > 0) throw another
  const { value: accounts } = await rowsOf(from, 'accounts').next()
  await to.write(async (sql) => {
    const claim = 'UPDATE installation SET ref_key = ?, starts_since = ? WHERE ref_key = ?'
    if ((await sql.run(claim, refKey, startsSince, found)) === 0) throw another
    await markUnfinished(sql)
    if (accounts) await sql.run(insertion(to, 'accounts', accounts), ...accounts.flatMap(valuesOf))
  })
}

/** A target that has served since an earlier copy would lose what came, and nobody be told. */
async function refuseNewer(from: CopyEnd, to: CopyEnd): Promise<void> {
  const [source, target] = [await from.lastIds(), await to.lastIds()]
  const newer = numberedTables.find((table) => target[table] > source[table])
  if (newer === undefined) return
  throw new Refused(
    `--to: its ${newer} are newer than those of --from, so it has been in use: serve it, or copy from it`,
  )
}

/** No server may start on what is there of a copy: it would take leads that are still to come for new ones. */
const markUnfinished = (sql: Sql) => sql.run('CREATE TABLE IF NOT EXISTS unfinished_copy (since bigint)')

async function count({ read }: CopyEnd, table: CopiedTable): Promise<number> {
  return (await read((sql) => sql.get(`SELECT count(*) AS "rows" FROM ${table}`)))?.rows
}

function keyOf({ leadKey }: CopyEnd, table: CopiedTable): readonly string[] {
  return copiedTables[table].length === 0 ? leadKey : copiedTables[table]
}

async function* rowsOf(end: CopyEnd, table: CopiedTable): AsyncGenerator<Row[]> {
  const key = keyOf(end, table)
  const keys = key.join(', ')
  const behind = `WHERE (${keys}) > (${key.map(() => '?').join(', ')})`
  let last: Row | undefined
  for (;;) {
    const after = last === undefined ? [] : key.map((column) => (last as Row)[column])
    const text = `SELECT * FROM ${table} ${last === undefined ? '' : behind} ORDER BY ${keys} LIMIT ${rowsAtOnce(table)}`
    const rows = await end.read((sql) => sql.all(text, ...after))
    if (rows.length === 0) return
    yield rows
    last = rows.at(-1)
  }
}

/** All rows of a table have the same columns in the same order. */
const valuesOf = (row: Row): Value[] => Object.values(row)

function insertion(end: CopyEnd, table: CopiedTable, rows: Row[]): string {
  const columns = Object.keys(rows[0] as Row)
  const row = `(${columns.map(() => '?').join(', ')})`
  const key = keyOf(end, table)
  const changes = columns.filter((column) => !key.includes(column)).map((column) => `${column} = excluded.${column}`)
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows.map(() => row).join(', ')}
    ON CONFLICT (${key.join(', ')}) DO ${changes.length === 0 ? 'NOTHING' : `UPDATE SET ${changes.join(', ')}`}`
}
