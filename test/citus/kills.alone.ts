// kill -9 of a worker and of the coordinator under load: nothing answered is lost or doubled, accounts elsewhere go on.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EndpointSettings } from '../../src/core/events.ts'
import { testerAt } from '../support/actor.ts'
import { eventually } from '../support/api.ts'
import { clusterNodes, type Node } from '../support/citus-nodes.ts'
import { amount, between, printSeed } from '../support/faults.ts'
import { type Installation, installation, type Owner, owner, type Server } from '../support/lastcall.ts'
import { type Ledger, newLedger } from '../support/ledger.ts'
import { ask } from '../support/postgres-databases.ts'
import { openReceiver } from '../support/receiver.ts'

const kills = amount(3, 20)
const clients = 8

let nodes: [Node, ...Node[]]
before(async () => {
  nodes = await clusterNodes()
})
after(() => Promise.all(nodes.map((node) => node.start().catch(() => {}))))

type Answer = { status: number; tookMs: number; at: number }

/** New leads all the time, until it is told to end; every answer of it. */
function load(ledger: Ledger, server: Server, name: string) {
  const answers: Answer[] = []
  let isOver = false
  const client = async (_: unknown, number: number) => {
    for (let n = 0; !isOver; n += 1) {
      const told = await ledger.register(server, `${name}-${number}-${n}@example.com`, ({ status }) => status === 503)
      answers.push({ status: told.status, tookMs: told.tookMs, at: performance.now() })
      if (told.status === 503) await sleep(20)
    }
  }
  const ended = Promise.all(Array.from({ length: clients }, client))
  ended.catch(() => {})
  return {
    async end(): Promise<Answer[]> {
      isOver = true
      await ended
      return answers
    },
  }
}

/** The port of the worker that has the account's leads. */
async function workerOf(place: Installation, accountId: number): Promise<number> {
  const [row] = await ask(
    place.databaseUrl,
    `SELECT nodeport FROM pg_dist_placement JOIN pg_dist_node USING (groupid)
      WHERE shardid = get_shard_id_for_distribution_column('leads', ${accountId})`,
  )
  return row.nodeport
}

/** An owner on each of two workers. */
async function twoOwners(place: Installation): Promise<[Owner, Owner]> {
  const first = await owner(place)
  const port = await workerOf(place, first.accountId)
  for (;;) {
    const second = await owner(place)
    if ((await workerOf(place, second.accountId)) !== port) return [first, second]
  }
}

const percentile = (answers: Answer[], share: number) =>
  answers.map(({ tookMs }) => tookMs).sort((a, b) => a - b)[Math.floor(answers.length * share)] ?? 0
const statusesOf = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))].sort()
const unlimited = ['--rate-limit', '1000000000']

test(`a worker is killed ${kills} times under load: its accounts 503, the others as before`, {
  timeout: 60_000 + kills * 20_000,
}, async (t) => {
  printSeed(t)
  const place = installation(t)
  const [mine, theirs] = await twoOwners(place)
  const port = await workerOf(place, mine.accountId)
  const victim = nodes.find((node) => node.port === port) as Node
  const [book, other] = [newLedger(place, mine), newLedger(place, theirs)]
  const server = await place.serve(unlimited)
  const usual: Answer[] = []
  const away: Answer[] = []
  const elsewhere: Answer[] = []
  const returns: number[] = []
  for (let round = 0; round < kills; round += 1) {
    const before = [load(book, server, `mine-${round}`), load(other, server, `theirs-${round}`)]
    await sleep(between(800, 1_200))
    const [, alike] = await Promise.all(before.map((one) => one.end()))
    usual.push(...(alike as Answer[]))

    const [own, others] = [load(book, server, `away-${round}`), load(other, server, `elsewhere-${round}`)]
    await sleep(between(50, 300))
    await victim.kill9()
    const killedAt = performance.now()
    await sleep(between(800, 1_200))
    elsewhere.push(...(await others.end()).filter(({ at }) => at > killedAt))
    const backAt = performance.now()
    await victim.start()
    const startedAt = performance.now()
    await sleep(2_000)
    const answers = await own.end()
    away.push(...answers.filter(({ at }) => at > killedAt && at < backAt))
    const first = answers.find(({ at, status }) => at > startedAt && status === 201)
    assert.ok(first, `nothing was registered for 2 s after the return: ${statusesOf(answers)}`)
    returns.push(first.at - startedAt)
    await Promise.all([book.assertKept(server), other.assertKept(server)])
  }
  const refusedElsewhere = elsewhere.filter(({ status }) => status !== 201)
  t.diagnostic(`elsewhere ${refusedElsewhere.length} of ${elsewhere.length} were refused`)
  assert.deepEqual(statusesOf(elsewhere), [201])
  assert.deepEqual(
    statusesOf(away).filter((status) => status !== 201),
    [503],
  )
  const slowest = Math.max(...away.filter(({ status }) => status === 503).map(({ tookMs }) => tookMs))
  const [p99, usualP99] = [percentile(elsewhere, 0.99), percentile(usual, 0.99)]
  t.diagnostic(`elsewhere p99 ${p99.toFixed(0)} ms, before ${usualP99.toFixed(0)} ms; ${elsewhere.length} answers`)
  t.diagnostic(
    `slowest 503 ${slowest.toFixed(0)} ms of ${away.length}; back within ${Math.max(...returns).toFixed(0)} ms`,
  )
  assert.ok(slowest < 1_000, `a 503 took ${slowest} ms`)
  assert.ok(p99 < 3 * usualP99, `p99 elsewhere ${p99} ms, before ${usualP99} ms`)
  await Promise.all([book.assertBook(), other.assertBook()])
})

test(`the coordinator is killed ${kills} times under load: the database is away, and comes back`, {
  timeout: 60_000 + kills * 20_000,
}, async (t) => {
  printSeed(t)
  const place = installation(t)
  const owners = await twoOwners(place)
  const books = owners.map((one) => newLedger(place, one))
  const server = await place.serve(unlimited)
  const returns: number[] = []
  const away: Answer[] = []
  for (let round = 0; round < kills; round += 1) {
    const loads = books.map((book) => load(book, server, `round-${round}`))
    await sleep(between(50, 400))
    await nodes[0].kill9()
    const killedAt = performance.now()
    await sleep(between(50, 600))
    await nodes[0].start()
    const startedAt = performance.now()
    await sleep(4_000)
    for (const answers of await Promise.all(loads.map((one) => one.end()))) {
      away.push(...answers.filter(({ at }) => at > killedAt && at < startedAt))
      const first = answers.find(({ at, status }) => at > startedAt && status === 201)
      assert.ok(first, 'nothing was registered for 4 s after the return')
      returns.push(first.at - startedAt)
    }
    await Promise.all(books.map((book) => book.assertKept(server)))
  }
  const refused = away.filter(({ status }) => status !== 201)
  assert.deepEqual(statusesOf(refused), [503])
  const slowest = Math.max(...refused.map(({ tookMs }) => tookMs))
  t.diagnostic(`slowest 503 ${slowest.toFixed(0)} ms; back within ${Math.max(...returns).toFixed(0)} ms`)
  assert.ok(slowest < 2_000)
  await Promise.all(books.map((book) => book.assertBook()))
})

test('a worker is away: webhooks of accounts elsewhere are told within seconds, its own within seconds of its return', {
  timeout: 180_000,
}, async (t) => {
  const receiver = await openReceiver(t)
  const place = installation(t)
  const owners = await twoOwners(place)
  await place.arrange(async ({ events }) => {
    for (const { accountId } of owners) {
      const settings: EndpointSettings = {
        ...{ name: 'shop', url: `${receiver.origin}/${accountId}`, kinds: ['lead.registered'], campaignIds: null },
        ...{ leadTimes: [], personal: true, batch: 1, inFlight: 1, perMinute: null },
      }
      await events.createEndpoint(accountId, settings, testerAt(Math.floor(Date.now() / 1_000)))
    }
  })
  const [mine, theirs] = owners
  const port = await workerOf(place, mine.accountId)
  const victim = nodes.find((node) => node.port === port) as Node
  let server = await place.serve(unlimited, { EGRESS_ALLOW: '127.0.0.1' })
  const [book, other] = [newLedger(place, mine), newLedger(place, theirs)]
  // Perhaps twice: that it was told is not on a worker's disk at once.
  const toldTo = ({ accountId }: Owner) => [
    ...new Set(receiver.all.filter(({ path }) => path === `/${accountId}`).map(({ data }) => data.email)),
  ]
  const told = async (one: Owner, email: string, seconds: number) => {
    const beganAt = performance.now()
    await eventually(
      seconds,
      async () => toldTo(one),
      (emails) => emails.includes(email),
    )
    t.diagnostic(`${email} told after ${(performance.now() - beganAt).toFixed(0)} ms`)
  }
  const registered = async (book: Ledger, one: Owner, email: string, seconds = 10) => {
    assert.equal((await book.register(server, email)).status, 201)
    await told(one, email, seconds)
  }
  await registered(book, mine, 'before@example.com')
  await registered(other, theirs, 'before@example.com')

  await victim.kill9()
  await registered(other, theirs, 'away@example.com')
  // By now it has lost the endpoints that it cannot say it has.
  await sleep(27_000)
  await registered(other, theirs, 'later@example.com')
  await victim.start()
  await registered(book, mine, 'back@example.com')

  await victim.kill9()
  await server.stop()
  server = await place.serve(unlimited, { EGRESS_ALLOW: '127.0.0.1' })
  await registered(other, theirs, 'restarted@example.com')
  await victim.start()
  // What the server that has gone could not give back is its own for 30 seconds.
  await registered(book, mine, 'again@example.com', 45)
  const emails = (...names: string[]) => names.map((name) => `${name}@example.com`)
  assert.deepEqual(toldTo(mine), emails('before', 'back', 'again'))
  assert.deepEqual(toldTo(theirs), emails('before', 'away', 'later', 'restarted'))
})
