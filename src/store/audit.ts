// The audit log: what users and commands changed. An entry is written in the transaction of the change.
import { isDeepStrictEqual } from 'node:util'
import type { Seconds } from '../core/instant.ts'
import { allOf, boundTo, type Row, type Runner, type Sql, type Value } from './sql.ts'

/**
 * Who changes something: a user by their email, a command by the name of the system's user who runs it, a key of the
 * API for events by its hint. The server itself pauses endpoints; the migration wrote each campaign's first entry.
 */
export type Actor = {
  kind: 'user' | 'command' | 'key' | 'server' | 'migration'
  name: string
  /** As `shortAddress` gives it; null for a command. */
  address: string | null
  at: Seconds
}

export const serverAt = (at: Seconds): Actor => ({ kind: 'server', name: 'server', address: null, at })

/**
 * Leads are named by their id. What is done to many at once is counted, with the campaign's id. Entries of a campaign
 * itself are about its settings only.
 */
export const subjectKinds = ['account', 'user', 'invitation', 'key', 'campaign', 'webhook', 'lead', 'leads'] as const
type SubjectKind = (typeof subjectKinds)[number]

/** What can be done to each subject: the action is `SUBJECT.done`. */
const acts = {
  account: ['created', 'changed'],
  user: [
    ...(['created', 'removed', 'role_changed', 'password_changed', 'password_reset', 'linked'] as const),
    ...(['factor_on', 'factor_off', 'factor_reset', 'recovery_codes_made'] as const),
  ],
  invitation: ['created', 'withdrawn'],
  key: ['created', 'renamed', 'replaced', 'revoked'],
  campaign: ['recorded', 'created', 'changed', 'archived', 'restored', 'deleted'],
  webhook: [
    ...(['created', 'changed', 'deleted', 'paused', 'resumed'] as const),
    ...(['secret_rotated', 'backfilled', 'resent', 'discarded'] as const),
  ],
  lead: ['added_again', 'deadline_set', 'order_told', 'order_reversed'],
  leads: ['added', 'imported', 'erased', 'orders_imported'],
} as const satisfies Record<SubjectKind, readonly string[]>
export type ActOn<Kind extends SubjectKind> = (typeof acts)[Kind][number]
export type AuditAction = { [Kind in SubjectKind]: `${Kind}.${ActOn<Kind>}` }[SubjectKind]
export const auditActions = subjectKinds.flatMap((kind) => acts[kind].map((done) => `${kind}.${done}`))

/** Settings before and after, without secrets and leads' emails; null if there was or is nothing. */
export type Change = {
  accountId: number
  action: AuditAction
  subject: { kind: SubjectKind; id: number | string; name: string }
  before: object | null
  after: object | null
}

/** What somebody did to a lead by hand, to be written with the lead. */
export type LeadEntry = { by: Actor; change: Change }

/** Saving the same settings again leaves no entry. */
export async function addIfChanged(sql: Sql, by: Actor, change: Change): Promise<void> {
  if (!isDeepStrictEqual(change.before, change.after)) await addAuditEntry(sql, by, change)
}

export async function addAuditEntry(sql: Sql, by: Actor, change: Change): Promise<void> {
  const { accountId, action, subject } = change
  const text = (settings: object | null) => settings && JSON.stringify(settings)
  await sql.run(
    `INSERT INTO audit_entries
      (account_id, at, actor, actor_name, address, action, subject, subject_id, subject_name, before, after)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[accountId, by.at, by.kind, by.name, by.address, action],
    ...[subject.kind, String(subject.id), subject.name, text(change.before), text(change.after)],
  )
}

/** Writes what was done to a user, with the settings before and after. */
export function addUserEntry(
  sql: Sql,
  by: Actor,
  action: AuditAction,
  { id, accountId, email }: { id: number; accountId: number; email: string },
  before: object | null,
  after: object | null,
): Promise<void> {
  const subject = { kind: 'user', id, name: email } as const
  return addAuditEntry(sql, by, { accountId, action, subject, before, after })
}

/** A lead to which something is done together with others, as in an import: they are counted. */
export function counted({ accountId, id, name }: { accountId: number; id: number; name: string }, action: AuditAction) {
  const subject = { kind: 'leads', id, name } as const
  return { accountId, action, subject, before: null, after: { count: 1 } } satisfies Change
}

/** Entries of what was done to leads in this transaction. */
export async function addLeadEntries(sql: Sql, entries: readonly LeadEntry[]): Promise<void> {
  const acts = Map.groupBy(entries, ({ by, change }) =>
    change.subject.kind === 'leads' ? JSON.stringify([by, change.action, change.subject]) : change,
  )
  // Each by itself would wait for PostgreSQL: hundreds of deadlines set at once have hundreds of entries.
  await Promise.all(
    [...acts.values()].map(([first, ...more]) => {
      const { by, change } = first as LeadEntry
      if (change.subject.kind === 'leads') return addCount(sql, by, { ...change, after: { count: 1 + more.length } })
      return addAuditEntry(sql, by, change)
    }),
  )
}

/** An import may take several transactions: its entry grows as long as it is the last one of its subject. */
export async function addCount(sql: Sql, by: Actor, change: Change & { after: { count: number } }): Promise<void> {
  const { accountId, action, subject, after } = change
  const of = [accountId, subject.kind, String(subject.id)]
  const last = await sql.get(
    `UPDATE audit_entries SET at = at WHERE action = ? AND actor = ? AND actor_name = ? AND at = ? AND id =
      (SELECT max(id) FROM audit_entries WHERE account_id = ? AND subject = ? AND subject_id = ?) RETURNING id, after`,
    ...[action, by.kind, by.name, by.at, ...of],
  )
  if (last === undefined) return addAuditEntry(sql, by, change)
  const sum = JSON.stringify({ ...after, count: JSON.parse(last.after).count + after.count })
  await sql.run('UPDATE audit_entries SET after = ? WHERE id = ?', sum, last.id)
}

export type AuditEntry = Pick<Change, 'action' | 'before' | 'after'> & {
  id: number
  at: Seconds
  actor: Pick<Actor, 'kind' | 'name'>
  address: string | null
  subject: { kind: string; id: number | string; name: string }
}

/** `to` is excluded. `likeId` names an entry by the actor in question; `subjectId` needs the subject's kind. */
export type AuditFilter = {
  from?: Seconds | undefined
  to?: Seconds | undefined
  actorName?: string | undefined
  likeId?: number | undefined
  action?: string | undefined
  subject?: string | undefined
  subjectId?: string | undefined
}

const addressSeconds = 30 * 86_400
const purgedAtOnce = 100
const mostChoices = 500
/**
 * Of settings. A campaign's may be 256 kB, twice in each of its entries: a thousand of these stopped the server for a
 * minute where they were read, and for a quarter of one where they were purged.
 */
const mostPageBytes = 1_000_000
const bytes = 'coalesce(octet_length(before), 0) + coalesce(octet_length(after), 0) AS bytes'

export function auditOn({ read, snapshot, writeUnflushed }: Runner) {
  return {
    ...boundTo(snapshot, { listEntries }),
    ...boundTo(read, { listActors, listActions }),
    ...boundTo(writeUnflushed, { purge }),
  }
}

/** Only an entry of the same account: nobody learns anything about another's. */
const likeEntry = `(actor, actor_name) IN (SELECT same.actor, same.actor_name FROM audit_entries AS same
  WHERE same.account_id = audit_entries.account_id AND same.id = ?)`

/** `next` is the entry before which the next page begins, null where nothing is left. */
export type AuditPage = { entries: AuditEntry[]; next: number | null }

/**
 * Newest first, in the order of their ids; those before the entry `beforeId`, at most `limit`, and fewer where their
 * settings are large.
 */
async function listEntries(
  sql: Sql,
  accountId: number,
  filter: AuditFilter,
  beforeId: number,
  limit: number,
): Promise<AuditPage> {
  const { where, values } = allOf([
    ['account_id = ? AND id < ?', accountId, beforeId],
    ['at >= ?', filter.from],
    ['at < ?', filter.to],
    ['actor_name = ?', filter.actorName],
    [likeEntry, filter.likeId],
    ['action = ?', filter.action],
    ['subject = ?', filter.subject],
    ['subject_id = ?', filter.subjectId],
  ])
  const select = (columns: string, most: number) =>
    sql.all(`SELECT ${columns} FROM audit_entries WHERE ${where} ORDER BY id DESC LIMIT ?`, ...values, most)
  const sizes = await select(bytes, limit + 1)
  const count = Math.min(limit, fitting(sizes))
  const entries = (await select('*', count)).map(toEntry)
  return { entries, next: count < sizes.length ? (entries.at(-1)?.id ?? null) : null }
}

/** How many of them a page, or a step of the purge, has room for: one at least. */
function fitting(sizes: Row[]): number {
  let room = mostPageBytes
  const tooMuch = sizes.findIndex(({ bytes }, index) => {
    room -= bytes
    return index > 0 && room < 0
  })
  return tooMuch < 0 ? sizes.length : tooMuch
}

/**
 * Every actor in the account's log, with the id of an entry of theirs: `likeId` if that is one, or else their last. If
 * there are very many, the most recent ones.
 * Sorted here, since each engine sorts names differently.
 */
async function listActors(
  sql: Sql,
  accountId: number,
  likeId = 0,
): Promise<(AuditEntry['actor'] & { likeId: number })[]> {
  const rows = await sql.all(
    `SELECT actor, actor_name, coalesce(max(CASE WHEN id = ? THEN id END), max(id)) AS like_id FROM audit_entries
      WHERE account_id = ? GROUP BY actor, actor_name ORDER BY max(id) DESC LIMIT ${mostChoices}`,
    ...[likeId, accountId],
  )
  const actors = rows.map((row) => ({ kind: row.actor, name: row.actor_name, likeId: row.like_id }))
  return actors.sort((a, b) => inOrder(a.name, b.name) || inOrder(a.kind, b.kind))
}

function inOrder(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

async function listActions(sql: Sql, accountId: number): Promise<string[]> {
  const rows = await sql.all(
    `SELECT DISTINCT action FROM audit_entries WHERE account_id = ? LIMIT ${mostChoices}`,
    accountId,
  )
  return rows.map(({ action }) => action as string).sort()
}

/**
 * Removes some entries from before, but each campaign's last one, by which its settings are known since; and some
 * addresses that are older than thirty days. Resolves with how many, 0 once nothing is left.
 */
async function purge(sql: Sql, before: Seconds, now: Seconds): Promise<number> {
  const isOld = `at < ? AND (subject <> 'campaign'
    OR EXISTS (SELECT 1 FROM audit_entries AS later WHERE later.account_id = old.account_id
      AND later.subject = 'campaign' AND later.subject_id = old.subject_id AND later.id > old.id AND later.at < ?))`
  const removed = await changeSome(sql, 'DELETE FROM audit_entries', isOld, before, before)
  const namesAddress = 'address IS NOT NULL AND at < ?'
  const forget = 'UPDATE audit_entries SET address = NULL'
  return removed + (await changeSome(sql, forget, namesAddress, now - addressSeconds))
}

/** In small steps, since on SQLite everybody waits while one runs. */
async function changeSome(sql: Sql, change: string, condition: string, ...values: Value[]): Promise<number> {
  const select = `SELECT id, ${bytes} FROM audit_entries AS old WHERE ${condition} LIMIT ${purgedAtOnce}`
  const found = await sql.all(select, ...values)
  const ids = found.slice(0, fitting(found)).map(({ id }) => id)
  return ids.length === 0 ? 0 : sql.run(`${change} WHERE id IN (${ids.map(() => '?')})`, ...ids)
}

function toEntry(row: Row): AuditEntry {
  const settings = (text: string | null) => text && JSON.parse(text)
  return {
    id: row.id,
    at: row.at,
    actor: { kind: row.actor, name: row.actor_name },
    address: row.address,
    action: row.action,
    subject: {
      kind: row.subject,
      id: /^\d{1,15}$/.test(row.subject_id) ? Number(row.subject_id) : row.subject_id,
      name: row.subject_name,
    },
    before: settings(row.before),
    after: settings(row.after),
  }
}
