// The request history cannot be written: nobody who asks notices, what is lost is counted, and what waits is bounded.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { Client } from 'pg'
import { amount, isFull } from '../support/faults.ts'
import type { SqliteFault } from '../support/faulty-sqlite.ts'
import type { Installation, Server } from '../support/lastcall.ts'
import { ask } from '../support/postgres-databases.ts'
import { comesTrue, type Prepared, prepared, several } from '../support/prepared.ts'
import { engine } from '../support/test-database.ts'
import { message } from '../support/wire.ts'

const preload = `--import=${import.meta.resolve('../support/faulty-sqlite.ts')}`
const mostWaiting = 20_000

type Trouble = 'down' | 'slow' | 'locked'
/** Begins the trouble; the result ends it. */
type Begin = (place: Installation) => Promise<() => Promise<void>>

function inFile(fault: SqliteFault): Begin {
  return async ({ folder }) => {
    writeFileSync(join(folder, 'fault'), fault)
    return async () => writeFileSync(join(folder, 'fault'), 'none')
  }
}

function inTable(begin: string, end: string): Begin {
  return async ({ databaseUrl }) => {
    await ask(databaseUrl, begin)
    return async () => void (await ask(databaseUrl, end))
  }
}

const troubles: Record<typeof engine, Record<Trouble, Begin>> = {
  sqlite: {
    down: inFile('history fails'),
    slow: inFile('history slow'),
    async locked({ databasePath }) {
      const database = new DatabaseSync(databasePath.replace(/\.db$/, '-history.db'))
      database.exec('PRAGMA busy_timeout = 2000; BEGIN EXCLUSIVE')
      return async () => database.close()
    },
  },
  postgres: {
    down: inTable('ALTER TABLE request_history RENAME TO away', 'ALTER TABLE away RENAME TO request_history'),
    slow: inTable(
      `CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS
         'BEGIN PERFORM pg_sleep(0.4); RETURN NULL; END';
       CREATE TRIGGER slow BEFORE INSERT ON request_history FOR EACH STATEMENT EXECUTE FUNCTION slow()`,
      'DROP TRIGGER slow ON request_history; DROP FUNCTION slow',
    ),
    async locked({ databaseUrl }) {
      const client = new Client({ connectionString: databaseUrl })
      await client.connect()
      await client.query('BEGIN; LOCK TABLE request_history')
      return () => client.end()
    },
  },
}

test('the history', { concurrency: 1, timeout: 300_000 }, async (t) => {
  const origin = await prepared(t)
  const bearer = `Authorization: Bearer ${origin.key}`
  const campaigns = '/api/public/v1/campaigns'
  const leads = `${campaigns}/${origin.campaignId}/leads`
  const list = message('GET', campaigns, [bearer])
  const post = (path: string, email: string) =>
    message('POST', path, [bearer, 'Content-Type: application/json'], JSON.stringify({ email }))

  async function start(t: TestContext, place = origin.copy(t)) {
    writeFileSync(join(place.folder, 'fault'), 'none')
    const server = await place.serve(['--rate-limit', '1000000', '--public-url', 'https://offers.example.com'], {
      NODE_OPTIONS: preload,
      TEST_FAULT_FILE: join(place.folder, 'fault'),
    })
    // What has been written once is there to fail.
    await converse(server, [list])
    await converse(server, [post(leads, 'one@example.com')])
    assert.ok(await comesTrue(10_000, async () => (await stored(place, origin)) === 2))
    return { place, server }
  }

  // All of one length.
  let talks = 1_000_000
  /**
   * Every operation and most of the refusals, each as if it were alone: what comes in one go is worked on at the same
   * time, and who is looked up must not be just being registered.
   */
  const nextConversation = () => [
    list,
    message('GET', `${campaigns}?limit=0`, [bearer]),
    message('GET', '/api/public/v1/nowhere', [bearer]),
    message('HEAD', campaigns, [bearer]),
    message('GET', campaigns),
    post(leads, `new-${talks++}@example.com`),
    post(leads, 'one@example.com'),
    post(`${leads}/lookup`, 'one@example.com'),
    post(`${leads}/lookup`, 'nobody@example.com'),
    post(leads, 'no email'),
    post(`${campaigns}/999/leads`, 'one@example.com'),
  ]
  const authorized = nextConversation().length - 1

  const rounds = amount(1, 3)
  const troubled = await start(t)
  // In the short form it is the same server, before the trouble: most of a test is the start of one.
  const healthy = isFull ? await start(t) : troubled
  const isStored = (count: number) =>
    comesTrue(20_000, async () => (await stored(troubled.place, origin)) === count, 150)
  for (const trouble of ['down', 'slow', 'locked'] as const)
    await t.test(`${trouble}: every answer is byte for byte the same but ids and times`, async () => {
      let storedBefore = await stored(troubled.place, origin)
      const asked = Array.from({ length: rounds }, nextConversation)
      const expected: string[] = []
      for (const conversation of asked)
        expected.push(await converse(healthy.server, isFull ? conversation : nextConversation()))
      if (!isFull) storedBefore += rounds * authorized
      assert.ok(await isStored(storedBefore))
      const lostBefore = await lost(troubled.server)
      const end = await troubles[engine][trouble](troubled.place)
      try {
        for (const [round, conversation] of asked.entries()) {
          const askedAt = performance.now()
          const answered = await converse(troubled.server, conversation)
          // A statement waits a second for the lock on the file.
          assert.ok(performance.now() - askedAt < 1_000, 'nobody waits for the history')
          assert.equal(withoutIdsAndTimes(answered), withoutIdsAndTimes(expected[round] as string))
          assert.equal(answered.match(/HTTP\/1\.1 /g)?.length, conversation.length)
        }
        const countedAs = trouble === 'slow' ? 0 : rounds * authorized
        const isCounted = async () => (await lost(troubled.server)) - lostBefore === countedAs
        assert.ok(await comesTrue(20_000, isCounted, 150), `lost: ${await lost(troubled.server)}, not ${countedAs}`)
      } finally {
        await end()
      }
      const conversation = nextConversation()
      for (const { server } of new Set([healthy, troubled])) await converse(server, conversation)
      assert.ok(await isStored(storedBefore + (trouble === 'slow' ? rounds + 1 : 1) * authorized))
    })
  const said = troubled.server
    .output()
    .match(/the request history cannot be stored: what is lost is counted on .metrics/g)
  assert.equal(said?.length, 1, 'not for each request, and not again within ten minutes')
  for (const { server } of new Set([healthy, troubled])) assert.equal(await server.stop(), 0)

  // The queue by itself is held by test/history.
  if (amount(0, 1) === 1)
    await t.test(`no more than ${mostWaiting} entries wait; the others are lost and counted`, async (t) => {
      const { place, server } = await start(t)
      const end = await troubles[engine].locked(place)
      const requests = mostWaiting + 60_000
      await several(4, Array(requests / 80).fill(Array(80).fill(list)), (part: string[]) => converse(server, part))
      const atOnce = await lost(server)
      assert.ok(atOnce >= requests - mostWaiting, `${requests - atOnce} entries wait`)
      assert.ok(await comesTrue(60_000, async () => (await lost(server)) === requests), 'some were not counted')
      await end()
    })

  if (amount(0, 1) === 1)
    await t.test('down: the slowest answers take at most 1.1 times as long', async (t) => {
      const healthy = await start(t)
      const troubled = await start(t)
      const end = await troubles[engine].down(troubled.place)
      const ratios: number[] = []
      for (let round = 0; round < 30; round += 1) {
        const [first, second] = round % 2 ? [healthy, troubled] : [troubled, healthy]
        const p99 = new Map([
          [first, await slowest(first.server)],
          [second, await slowest(second.server)],
        ])
        if (round >= 4) ratios.push((p99.get(troubled) as number) / (p99.get(healthy) as number))
      }
      const median = ratios.sort((a, b) => a - b)[ratios.length >> 1] as number
      t.diagnostic(`p99 with the history down, against p99 without: ${median.toFixed(2)}`)
      assert.ok(median <= 1.1, `${median.toFixed(2)} times as long`)
      await end()
    })

  async function slowest(server: Server): Promise<number> {
    const times = await several(8, Array(2_000).fill(0), async () => {
      const startedAt = performance.now()
      const answer = await fetch(`${server.base}/campaigns`, {
        headers: { authorization: `Bearer ${origin.key}` },
      })
      await answer.arrayBuffer()
      return performance.now() - startedAt
    })
    return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] as number
  }
})

async function lost(server: Server): Promise<number> {
  const metrics = await (await fetch(`${server.origin}/metrics`)).text()
  return Number(/^lastcall_history_lost_total (\d+)/m.exec(metrics)?.[1])
}

async function stored(place: Installation, { accountId }: Prepared): Promise<number> {
  const { code, stdout } = await place.runShared(['history', 'list', '--account', String(accountId)])
  return code === 0 ? JSON.parse(stdout).length : 0
}

/** All that comes back, as it came. */
async function converse(server: Server, messages: string[]): Promise<string> {
  const socket = createConnection({ port: server.port, host: '127.0.0.1' })
  let text = ''
  socket.setEncoding('utf8').on('data', (part) => {
    text += part
  })
  const last = messages.at(-1) as string
  socket.write(messages.slice(0, -1).join('') + last.replace('\r\n', '\r\nConnection: close\r\n'))
  await once(socket, 'close')
  return text
}

function withoutIdsAndTimes(text: string): string {
  return text
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replace(/\b[0-9a-f]{32}\b/g, 'REF')
    .replace(/\bnew-\d{7}@/g, 'NEW@')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, 'INSTANT')
    .replace(/^(Date|RateLimit-Reset|RateLimit-Remaining): .*$/gim, '$1')
}
