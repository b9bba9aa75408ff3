// An account with a key and a published campaign, in a new database of a PostgreSQL that a test may harm.
import { accountWithKey, appliedCampaign, arrangeIn, campaignFile, type Server } from './lastcall.ts'
import type { Postgres } from './postgres.ts'
import { createDatabase } from './postgres-databases.ts'

export type OwnerOnPostgres = { url: string; account: number; campaign: number; key: string }

type Cluster = Pick<Postgres, 'adminUrl' | 'createDatabase'>

/** Nobody opens it but to copy it, which takes a seventh of what its migrations and its owner take. */
const firsts = new WeakMap<Cluster, Promise<OwnerOnPostgres>>()

/** Each time another database, of which all have the same content. */
export async function ownerOn(postgres: Cluster): Promise<OwnerOnPostgres> {
  const first = firsts.get(postgres) ?? made(postgres)
  firsts.set(postgres, first)
  const owner = await first
  return { ...owner, url: await createDatabase(postgres.adminUrl, { from: owner.url }) }
}

async function made(postgres: Cluster): Promise<OwnerOnPostgres> {
  const url = await postgres.createDatabase()
  return arrangeIn(url, async (store) => {
    const { accountId: account, key } = await accountWithKey(store)
    const { id: campaign } = await appliedCampaign(store, account, campaignFile())
    return { url, account, campaign, key }
  })
}

/** One operation of the public API at `server`, which serves the database of this owner. */
export async function post(server: Server, { campaign, key }: OwnerOnPostgres, operation: string, email: string) {
  const startedAt = performance.now()
  const answer = await fetch(`${server.base}/campaigns/${campaign}/${operation}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
  })
  await answer.arrayBuffer()
  return { status: answer.status, milliseconds: performance.now() - startedAt }
}

export const isReady = async (server: Server) => (await fetch(`${server.origin}/readyz`)).status === 200
