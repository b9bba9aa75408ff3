// Accounts, keys and campaigns, whose made-up ids anybody may send.
import { type Configuration, configurationOn } from '../configuration.ts'
import type { Runner } from '../sql.ts'
import { batcher } from './batcher.ts'
import { inTime, type Prepared } from './connection.ts'
import type { Pools } from './pools.ts'

/** Ids of one statement at most. */
const batchSize = 1_000

const keyIds: Prepared = { name: 'key_ids', text: 'SELECT id FROM api_keys WHERE id = ANY($1)' }
const campaignIds: Prepared = { name: 'campaign_ids', text: 'SELECT id FROM campaigns WHERE id = ANY($1)' }

/**
 * A flood of ids that do not exist, each read by itself, would take the few connections for which the panel waits, and
 * every request after a change. So those that come together are looked for by one statement, and only what there is
 * is read.
 */
export function postgresConfiguration(pools: Pools, runner: Runner): Configuration {
  const configuration = configurationOn(runner)
  const { findLiveKey, findCampaign } = configuration
  const isKey = lookingFor<string>(pools, keyIds)
  const isCampaign = lookingFor<number>(pools, campaignIds)
  // Two questions, which together may take as long as one: who asks gets 503 within a second.
  const ifThere = <T>(is: Promise<boolean>, find: () => Promise<T | undefined>) =>
    inTime(
      is.then((isThere) => (isThere ? find() : undefined)),
      pools.timeoutMs,
    )
  return {
    ...configuration,
    findLiveKey: (id) => ifThere(isKey(id), () => findLiveKey(id)),
    async findCampaign(id) {
      // PostgreSQL fails at a number that no id can be, and with it all that are asked for together.
      return Number.isSafeInteger(id) ? ifThere(isCampaign(id), () => findCampaign(id)) : undefined
    },
  }
}

const oneForAll = () => 0

function lookingFor<Id extends string | number>({ admin, timeoutMs }: Pools, statement: Prepared) {
  const ask = batcher<Id, boolean>(batchSize, oneForAll, async (_, ids, leftMs) => {
    const rows = await admin.use(leftMs, (connection) => connection.rows<[Id]>(statement, [ids]))
    const found = new Set(rows.map(([id]) => id))
    return ids.map((id) => found.has(id))
  })
  return (id: Id) => ask(id, performance.now() + timeoutMs)
}
