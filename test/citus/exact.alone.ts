// Two services on one cluster: who is first, and how many pass in a minute, is exact for accounts on every worker.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { amount } from '../support/faults.ts'
import { type Installation, installation, type Owner, owner, type Server } from '../support/lastcall.ts'
import { newLedger } from '../support/ledger.ts'
import { ask } from '../support/postgres-databases.ts'
import { several } from '../support/prepared.ts'

const accounts = 8
const rounds = amount(100, 1_000)

/** Accounts that do not all lie on one worker. */
async function owners(place: Installation): Promise<Owner[]> {
  const made: Owner[] = []
  for (let n = 0; n < accounts; n += 1) made.push(await owner(place))
  const [row] = await ask(
    place.databaseUrl,
    `SELECT count(DISTINCT groupid)::int AS workers FROM pg_dist_placement WHERE shardid IN
      (SELECT get_shard_id_for_distribution_column('leads', id) FROM accounts)`,
  )
  assert.equal(row.workers, 2)
  return made
}

async function twoServices(t: TestContext, args: string[]) {
  const place = installation(t)
  const books = (await owners(place)).map((one) => newLedger(place, one))
  const both = [...args, '--public-url', 'https://offers.example.com']
  const servers = [await place.serve(both), await place.serve(both)] as [Server, Server]
  return { books, servers }
}

test(`of 50 who register one email at once one makes the lead, ${rounds} rounds over ${accounts} accounts`, {
  timeout: 1_800_000,
}, async (t) => {
  const { books, servers } = await twoServices(t, ['--rate-limit', '1000000000'])
  let unavailable = 0
  const lane = async (book: (typeof books)[number], number: number) => {
    for (let round = number; round < rounds; round += accounts) {
      const email = `${round}@example.com`
      const told = await Promise.all(
        Array.from({ length: 50 }, (_, n) => book.post(servers[n % 2] as Server, 'leads', email)),
      )
      unavailable += told.filter(({ status }) => status === 503).length
      const answered = told.filter(({ status }) => status !== 503)
      for (const { status, body } of answered) assert.equal(status, body.created ? 201 : 200)
      const created = answered.filter(({ body }) => body.created).length
      // Who got no answer in time may have made it.
      const isKnown = answered.length === told.length
      assert.ok(isKnown ? created === 1 : created <= 1, `${email}: ${told.map(({ status }) => status)}`)
      const same = answered.map(({ body }) => JSON.stringify({ ...body, created: undefined }))
      assert.deepEqual([...new Set(same)], same.slice(0, 1))
    }
  }
  await Promise.all(books.map(lane))
  t.diagnostic(`${unavailable} of ${rounds * 50} answers were 503`)
  assert.equal(unavailable, 0)
})

test(`of 600 requests at once exactly 120 pass, for each of ${accounts} accounts at once`, {
  timeout: 300_000,
}, async (t) => {
  const { books, servers } = await twoServices(t, [])
  // All of them in one minute of the clock.
  const secondsOfMinute = (Date.now() / 1_000) % 60
  if (secondsOfMinute > 25) await sleep((61 - secondsOfMinute) * 1_000)
  const passed = books.map(async (book) => {
    const statuses: number[] = []
    // So many in flight, or the machine of the test is the one that refuses.
    await several(30, [...Array(600).keys()], async (n) => {
      statuses.push((await book.post(servers[n % 2] as Server, 'leads/lookup', 'nobody@example.com')).status)
    })
    assert.deepEqual(
      statuses.filter((status) => status !== 404 && status !== 429),
      [],
    )
    return statuses.filter((status) => status === 404).length
  })
  assert.deepEqual(await Promise.all(passed), Array(accounts).fill(120))
})
