// An account with a key and a published campaign, in a new database of a PostgreSQL that a test may harm.
import { accountWithKey, appliedCampaign, arrangeIn, campaignFile } from './lastcall.ts'
import type { Postgres } from './postgres.ts'

export type OwnerOnPostgres = { url: string; account: number; campaign: number; key: string }

export async function ownerOn(postgres: Postgres): Promise<OwnerOnPostgres> {
  const url = await postgres.createDatabase()
  return arrangeIn(url, async (store) => {
    const { accountId: account, key } = await accountWithKey(store)
    const { id: campaign } = await appliedCampaign(store, account, campaignFile())
    return { url, account, campaign, key }
  })
}
