// An account with a key and a published campaign, in a new database of a PostgreSQL that a test may harm.
import assert from 'node:assert/strict'
import { accountWithKey, arrangeIn, campaignFile } from './lastcall.ts'
import type { Postgres } from './postgres.ts'
import { command } from './prepared.ts'

export type OwnerOnPostgres = { url: string; account: number; campaign: number; key: string }

export async function ownerOn(postgres: Postgres): Promise<OwnerOnPostgres> {
  const url = await postgres.createDatabase()
  const { accountId: account, key } = await arrangeIn(url, accountWithKey)
  const apply = ['campaign', 'apply', '--account', String(account), '-']
  const { code, stdout, stderr } = await command(apply, { env: { DATABASE_URL: url }, input: campaignFile() })
  assert.equal(code, 0, stderr)
  return { url, account, campaign: JSON.parse(stdout).id, key }
}
