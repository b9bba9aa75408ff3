// Statements on accounts, for both engines.
import { type Actor, addAuditEntry, addIfChanged } from './audit.ts'
import type { Account } from './model.ts'
import type { Row, Sql } from './sql.ts'

export async function createAccount(sql: Sql, name: string, by: Actor): Promise<Account> {
  // Nobody knows the account yet. Citus locks more for an update than for an insert: so the update comes first.
  await sql.beginChange(0)
  return insertAccount(sql, name, by)
}

export async function insertAccount(sql: Sql, name: string, by: Actor): Promise<Account> {
  const row = await sql.get('INSERT INTO accounts (name) VALUES (?) RETURNING *', name)
  const after = toAccount(row as Row)
  const subject = { kind: 'account', id: after.id, name } as const
  await addAuditEntry(sql, by, { accountId: after.id, action: 'account.created', subject, before: null, after })
  return after
}

export async function listAccounts(sql: Sql): Promise<Account[]> {
  return (await sql.all('SELECT * FROM accounts ORDER BY id')).map(toAccount)
}

export async function findAccount(sql: Sql, accountId: number): Promise<Account | undefined> {
  const row = await sql.get('SELECT * FROM accounts WHERE id = ?', accountId)
  return row && toAccount(row)
}

export async function updateAccount(
  sql: Sql,
  accountId: number,
  changes: Partial<Omit<Account, 'id'>>,
  by: Actor,
): Promise<Account | undefined> {
  if ((await findAccount(sql, accountId)) === undefined) return undefined
  await sql.beginChange(accountId)
  const before = (await findAccount(sql, accountId)) as Account
  const next = { ...before, ...changes }
  await sql.run(
    'UPDATE accounts SET name = ?, suspended = ?, countdown_tools = ?, rate_limit = ? WHERE id = ?',
    ...[next.name, Number(next.suspended), Number(next.countdownTools), next.rateLimit, accountId],
  )
  const subject = { kind: 'account', id: accountId, name: next.name } as const
  await addIfChanged(sql, by, { accountId, action: 'account.changed', subject, before, after: next })
  return next
}

export function toAccount(row: Row): Account {
  return {
    id: row.id,
    name: row.name,
    suspended: row.suspended === 1,
    countdownTools: row.countdown_tools === 1,
    rateLimit: row.rate_limit,
  }
}
