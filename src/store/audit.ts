// The audit log: what users and commands changed. An entry is written in the transaction of the change.
import type { Seconds } from '../core/instant.ts'
import type { Sql } from './sql.ts'

/** Who changes something: a user by their email, a command by the name of the system's user who runs it. */
export type Actor = {
  kind: 'user' | 'command'
  name: string
  /** As `shortAddress` gives it; null for a command. */
  address: string | null
  at: Seconds
}

/** Settings before and after, without secrets and without emails of leads; null where there was, or is, nothing. */
export type Change = {
  accountId: number
  /** `SUBJECT.done`, such as `campaign.changed`. */
  action: string
  subject: {
    kind: 'account' | 'user' | 'invitation' | 'key' | 'campaign' | 'webhook'
    id: number | string
    name: string
  }
  before: object | null
  after: object | null
}

export async function addAuditEntry(sql: Sql, by: Actor, change: Change): Promise<void> {
  const { accountId, action, subject, before, after } = change
  const text = (settings: object | null) => settings && JSON.stringify(settings)
  await sql.run(
    `INSERT INTO audit_entries
      (account_id, at, actor, actor_name, address, action, subject, subject_id, subject_name, before, after)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[accountId, by.at, by.kind, by.name, by.address, action],
    ...[subject.kind, String(subject.id), subject.name, text(before), text(after)],
  )
}
