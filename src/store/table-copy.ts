// A whole installation from one database to another, table by table, in the order of their keys.

import { Refused } from './errors.ts'
import type { Value } from './sql.ts'

/** What belongs to an installation, in the order in which rows refer to each other. What is derived stays away. */
export const copiedTables = {
  accounts: ['id', 'name', 'suspended', 'countdown_tools', 'rate_limit', 'version'],
  api_keys: [
    ...['id', 'account_id', 'name', 'secret_hash', 'created_at', 'revoked_at', 'last_used_at'],
    'grace_ends_at',
  ],
  campaigns: ['id', 'account_id', 'name', 'type_id', 'is_draft', 'settings', 'rule_id'],
  rules: ['id', 'campaign_id', 'digest', 'rule'],
  offer_pages: ['id', 'campaign_id', 'page_url', 'proxy_url', 'eligible'],
  leads: [
    ...['id', 'account_id', 'campaign_id', 'email', 'salt', 'registered_at', 'attempt', 'resets', 'rule_id'],
    ...['anchor_at', 'opens_at', 'deadline_at', 'by_hand_deadline_at', 'by_hand_set_at'],
  ],
  daily_counts: ['account_id', 'campaign_id', 'day', 'page_id', 'kind', 'fetcher', 'total'],
  lead_counts: ['account_id', 'lead_id', 'day', 'kind', 'fetcher', 'total'],
  users: ['id', 'account_id', 'email', 'password_hash', 'created_at'],
  page_sightings: ['page_id', 'seen_at'],
} as const
export type CopiedTable = keyof typeof copiedTables

/** Tables that grow with the leads, and what of a row may change after it was copied. */
const largeTables: { readonly [Table in CopiedTable]?: readonly string[] } = {
  leads: [
    ...['registered_at', 'attempt', 'resets', 'rule_id', 'anchor_at', 'opens_at', 'deadline_at'],
    ...['by_hand_deadline_at', 'by_hand_set_at'],
  ],
  daily_counts: ['total'],
  lead_counts: ['total'],
}

/** Tables whose ids are never given twice. */
export const numberedTables = [
  'accounts',
  'campaigns',
  'rules',
  'offer_pages',
  'leads',
  'users',
] as const satisfies CopiedTable[]
/** The highest id that each has given. */
export type LastIds = Record<(typeof numberedTables)[number], number>

/** What rows are told apart by, which is the order in which they are copied. */
export const keyColumns: Record<CopiedTable, readonly string[]> = {
  accounts: ['id'],
  api_keys: ['id'],
  campaigns: ['id'],
  rules: ['id'],
  offer_pages: ['id'],
  leads: ['account_id', 'id'],
  daily_counts: ['account_id', 'campaign_id', 'day', 'page_id', 'kind', 'fetcher'],
  lead_counts: ['account_id', 'lead_id', 'day', 'kind', 'fetcher'],
  users: ['id'],
  page_sightings: ['page_id'],
}

/** The tables of one database, to be read and filled. */
export type Tables = {
  refKey(): Promise<Uint8Array>
  setRefKey(key: Uint8Array): Promise<void>
  totals(table: CopiedTable): Promise<Totals>
  /** Key of the last row in the order of keys. */
  lastKey(table: CopiedTable): Promise<Value[] | undefined>
  /** At most `limit` rows behind a key, in the order of keys and of `copiedTables`. */
  rowsAfter(table: CopiedTable, key: Value[] | undefined, limit: number): Promise<Value[][]>
  /** In one transaction. Rows of large tables that are there already stay as they are, others are replaced. */
  add(table: CopiedTable, rows: Value[][]): Promise<void>
  lastIds(): Promise<LastIds>
  /** Makes what is derived from the tables, and lets new ids begin behind those that were ever given. */
  finish(lastIds: LastIds): Promise<void>
  close(): Promise<void>
}

/** The number of rows, and a sum that is another one where a row has changed. */
export type Totals = { rows: number; sum: number }
export type Counts = Record<CopiedTable, { from: number; to: number }>

const rowsAtOnce = 1_000

/**
 * Copies everything that is not there yet; called again after an interruption it goes on where it was. Nobody
 * may write to either meanwhile. @throws Refused where the target holds another installation, or leads of this one
 * as they no longer are
 */
export async function copyTables(
  from: Tables,
  to: Tables,
  onProgress: (table: CopiedTable, done: number) => void,
): Promise<Counts> {
  await claimTarget(from, to)
  const names = Object.keys(copiedTables) as CopiedTable[]
  for (const table of names) {
    const isLarge = table in largeTables
    let done = isLarge ? (await to.totals(table)).rows : 0
    let key = isLarge ? await to.lastKey(table) : undefined
    for (;;) {
      const rows = await from.rowsAfter(table, key, rowsAtOnce)
      if (rows.length === 0) break
      await to.add(table, rows)
      key = keyOf(table, rows.at(-1) as Value[])
      done += rows.length
      onProgress(table, done)
    }
  }
  await to.finish(await from.lastIds())
  const counts: Partial<Counts> = {}
  for (const table of names) {
    const [read, written] = [await from.totals(table), await to.totals(table)]
    if (read.rows === written.rows && read.sum !== written.sum) {
      throw new Refused(
        `--to: some of its ${table} are older than those of --from, where they were changed after an earlier copy; empty the database and copy again`,
      )
    }
    counts[table] = { from: read.rows, to: written.rows }
  }
  return counts as Counts
}

async function claimTarget(from: Tables, to: Tables): Promise<void> {
  const key = await from.refKey()
  if (Buffer.compare(key, await to.refKey()) === 0) return
  if ((await to.totals('accounts')).rows > 0)
    throw new Refused('--to: the database holds another installation')
  await to.setRefKey(key)
}

function keyOf(table: CopiedTable, row: Value[]): Value[] {
  const columns: readonly string[] = copiedTables[table]
  return keyColumns[table].map((column) => row[columns.indexOf(column)] as Value)
}

/** The statements over a table that both engines read alike. */
export function tableSql(table: CopiedTable) {
  const columns = copiedTables[table].join(', ')
  const key = keyColumns[table]
  const keys = key.join(', ')
  const descending = key.map((column) => `${column} DESC`).join(', ')
  const after = `WHERE (${keys}) > (${key.map(() => '?').join(', ')})`
  return {
    totals: `SELECT count(*) AS "rows", ${sumOf(largeTables[table] ?? [])} AS sum FROM ${table}`,
    lastKey: `SELECT ${keys} FROM ${table} ORDER BY ${descending} LIMIT 1`,
    first: `SELECT ${columns} FROM ${table} ORDER BY ${keys} LIMIT ?`,
    next: `SELECT ${columns} FROM ${table} ${after} ORDER BY ${keys} LIMIT ?`,
    add(rows: number): string {
      const row = `(${copiedTables[table].map(() => '?').join(', ')})`
      const all = Array.from({ length: rows }, () => row).join(', ')
      return `INSERT INTO ${table} (${columns}) VALUES ${all} ON CONFLICT ${onConflict(table)}`
    },
  }
}

function onConflict(table: CopiedTable): string {
  if (table in largeTables) return 'DO NOTHING'
  const changes = copiedTables[table].map((column) => `${column} = excluded.${column}`)
  return `(${keyColumns[table].join(', ')}) DO UPDATE SET ${changes.join(', ')}`
}

/** Small enough for a number of JavaScript with ten billion rows. Each column counts for another multiple. */
function sumOf(columns: readonly string[]): string {
  const terms = columns.map((column, index) => `coalesce(${column}, -1) % 10007 * ${index + 1}`)
  return `CAST(coalesce(sum(${terms.join(' + ') || '0'}), 0) AS bigint)`
}
