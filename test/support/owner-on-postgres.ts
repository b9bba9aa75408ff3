// An account with a key and a published campaign, in a new database of a PostgreSQL that a test may harm.
import assert from 'node:assert/strict'
import { campaignFile } from './lastcall.ts'
import type { Postgres } from './postgres.ts'
import { command } from './prepared.ts'

export type OwnerOnPostgres = { url: string; account: number; campaign: number; key: string }

export async function ownerOn(postgres: Postgres): Promise<OwnerOnPostgres> {
  const url = await postgres.createDatabase()
  const json = async (args: string[], input = '') => {
    const { code, stdout, stderr } = await command(args, { env: { DATABASE_URL: url }, input })
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  const account = (await json(['account', 'create', '--name', 'Owner'])).id
  const { key } = await json(['key', 'create', '--account', String(account), '--name', 'server'])
  const campaign = await json(['campaign', 'apply', '--account', String(account), '-'], campaignFile())
  return { url, account, campaign: campaign.id, key }
}
