// An account with a key and a published campaign, in a new database of a PostgreSQL that a test may harm.
import { accountWithKey, appliedCampaign, arrangeIn, campaignFile } from './lastcall.ts'
import type { Postgres } from './postgres.ts'
import { createDatabase } from './postgres-databases.ts'

export type OwnerOnPostgres = { url: string; account: number; campaign: number; key: string }

/** Nobody opens it but to copy it, which takes a seventh of what its migrations and its owner take. */
const firsts = new WeakMap<Postgres, Promise<OwnerOnPostgres>>()

/** Each time another database, of which all have the same content. */
export async function ownerOn(postgres: Postgres): Promise<OwnerOnPostgres> {
  const first = firsts.get(postgres) ?? made(postgres)
  firsts.set(postgres, first)
  const owner = await first
  return { ...owner, url: await createDatabase(postgres.adminUrl, { from: owner.url }) }
}

async function made(postgres: Postgres): Promise<OwnerOnPostgres> {
  const url = await postgres.createDatabase()
  return arrangeIn(url, async (store) => {
    const { accountId: account, key } = await accountWithKey(store)
    const { id: campaign } = await appliedCampaign(store, account, campaignFile())
    return { url, account, campaign, key }
  })
}
