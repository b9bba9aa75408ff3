// The audit log: what users and commands changed. An entry is written in the transaction of the change.
import { isDeepStrictEqual } from 'node:util'
import type { Seconds } from '../core/instant.ts'
import type { Sql } from './sql.ts'

/**
 * Who changes something: a user by their email, a command by the name of the system's user who runs it, a key of the
 * API for events by its hint. The server itself pauses endpoints; the migration wrote each campaign's first entry.
 */
export const actorKinds = ['user', 'command', 'key', 'server', 'migration'] as const
export type Actor = {
  kind: (typeof actorKinds)[number]
  name: string
  /** As `shortAddress` gives it; null for a command. */
  address: string | null
  at: Seconds
}

export const serverAt = (at: Seconds): Actor => ({ kind: 'server', name: 'server', address: null, at })

/**
 * Leads are named by their id. What is done to many at once is counted, with the campaign's id; a campaign's own
 * entries are of its settings alone.
 */
export const subjectKinds = ['account', 'user', 'invitation', 'key', 'campaign', 'webhook', 'lead', 'leads'] as const

/** Settings before and after, without secrets and without emails of leads; null where there was, or is, nothing. */
export type Change = {
  accountId: number
  /** `SUBJECT.done`, such as `campaign.changed`. */
  action: string
  subject: { kind: (typeof subjectKinds)[number]; id: number | string; name: string }
  before: object | null
  after: object | null
}

/** What somebody did to a lead by hand, to be written with the lead. */
export type LeadEntry = { by: Actor; change: Change }

/** What changes nothing leaves no entry: the same settings saved again. */
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

/** One of those that an act is done to, such as an import: they are counted. */
export function counted({ accountId, id, name }: { accountId: number; id: number; name: string }, action: string) {
  const subject = { kind: 'leads', id, name } as const
  return { accountId, action, subject, before: null, after: { count: 1 } } satisfies Change
}

/** Entries of what was done to leads in this transaction. */
export async function addLeadEntries(sql: Sql, entries: readonly LeadEntry[]): Promise<void> {
  const acts = Map.groupBy(entries, ({ by, change }) =>
    change.subject.kind === 'leads' ? JSON.stringify([by, change.action, change.subject]) : change,
  )
  for (const [first, ...more] of acts.values()) {
    if (first === undefined) continue
    const { by, change } = first
    if (change.subject.kind === 'leads') await addCount(sql, by, change, 1 + more.length)
    else await addAuditEntry(sql, by, change)
  }
}

/** An act may take several transactions: its entry grows for as long as it is the last one of its subject. */
async function addCount(sql: Sql, by: Actor, change: Change, count: number): Promise<void> {
  const { accountId, action, subject } = change
  const of = [accountId, subject.kind, String(subject.id)]
  const last = await sql.get(
    `UPDATE audit_entries SET at = at WHERE action = ? AND actor = ? AND actor_name = ? AND at = ? AND id =
      (SELECT max(id) FROM audit_entries WHERE account_id = ? AND subject = ? AND subject_id = ?) RETURNING id, after`,
    ...[action, by.kind, by.name, by.at, ...of],
  )
  if (last === undefined) return addAuditEntry(sql, by, { ...change, after: { count } })
  const after = JSON.stringify({ count: JSON.parse(last.after).count + count })
  await sql.run('UPDATE audit_entries SET after = ? WHERE id = ?', after, last.id)
}
