// SIGTERM and SIGINT: what has arrived is answered, what comes later is not taken, and the end is near.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createKey } from '../../src/access/keys.ts'
import { checkEndpoint } from '../../src/core/events.ts'
import { tester } from '../support/actor.ts'
import { isFull, someOf } from '../support/faults.ts'
import { whileLocked } from '../support/locked.ts'
import { mailServer } from '../support/mail-server.ts'
import { comesTrue, prepared } from '../support/prepared.ts'
import { openReceiver } from '../support/receiver.ts'
import { createUser } from '../support/users.ts'
import {
  accepts,
  assertError,
  assertGood,
  header,
  message,
  type Piece,
  type Wire,
  type WireAnswer,
  wire,
} from '../support/wire.ts'

test('stopping', { concurrency: 4, timeout: 200_000 }, async (t) => {
  const origin = await prepared(t)
  const mail = await mailServer(t)
  const receiver = await openReceiver(t)
  receiver.answers.set('/slow', (_, response) => void setTimeout(() => response.writeHead(204).end(), 4_000))
  const { ofEvents, endpointId } = await origin.place.arrange(async (store) => {
    for (const email of ['soon@example.com', 'never@example.com'])
      await createUser(store, origin.accountId, { email, password: 'a long password', role: 'owner' })
    const { key } = await createKey(store, origin.accountId, 'events', tester, ['events'])
    const wanted = { name: 'slow', url: `${receiver.origin}/slow`, kinds: ['campaign.ended'] }
    const checked = checkEndpoint(wanted, () => undefined)
    assert.ok('settings' in checked)
    const { id } = await store.events.createEndpoint(origin.accountId, checked.settings, tester)
    return { ofEvents: `Authorization: Bearer ${key}`, endpointId: id }
  })
  const bearer = `Authorization: Bearer ${origin.key}`
  const campaigns = '/api/public/v1/campaigns'
  const leads = `${campaigns}/${origin.campaignId}/leads`
  const good = message('GET', campaigns, [bearer])
  /** Its answer is long. */
  const description = message('GET', '/api/public/v1/openapi.json')
  const register = (email: string) =>
    message('POST', leads, [bearer, 'Content-Type: application/json'], JSON.stringify({ email }))

  async function start(t: TestContext) {
    const place = origin.copy(t)
    const own = { SMTP_URL: mail.url, SMTP_FROM: 'o@shop.example', EGRESS_ALLOW: '127.0.0.1' }
    const server = await place.serve(['--rate-limit', '1000000'], own)
    const { process } = server
    let signalledAt = Number.NaN
    const exited = once(process, 'exit') as Promise<[number | null, string | null]>
    return {
      place,
      port: server.port,
      process,
      output: server.output,
      /** A connection on which these bytes have arrived. */
      async open(...pieces: Piece[]): Promise<Wire> {
        const line = await wire(server.port)
        await line.send(...pieces)
        return line
      },
      /** Until the server has read what was sent to it before. */
      async hasRead() {
        for (let n = 0; n < 2; n += 1) await (await fetch(`${server.origin}/healthz`)).text()
      },
      signal(name: 'SIGTERM' | 'SIGINT' = 'SIGTERM') {
        signalledAt = Date.now()
        process.kill(name)
      },
      /** Until the server has heard the signal. */
      async isStopping() {
        while (await accepts(server.port)) await sleep(10)
      },
      /** Fails unless it exits 0 in time after the signal; gives the milliseconds. */
      async exits(): Promise<number> {
        const late = sleep(15_000, [undefined, 'still running'] as const, { ref: false })
        const [code, signal] = await Promise.race([exited, late])
        assert.deepEqual([code, signal], [0, null], server.output().slice(-500))
        const tookMs = Date.now() - signalledAt
        assert.ok(tookMs < 10_500, `it took ${tookMs} ms`)
        return tookMs
      },
      /** The emails of the leads that are stored and begin with `prefix`. */
      async registered(prefix: string): Promise<string[]> {
        const args = ['lead', 'list', '--campaign', String(origin.campaignId)]
        const emails = (await place.json<{ email: string }[]>(args)).map(({ email }) => email)
        return emails.filter((email) => email.startsWith(prefix))
      },
    }
  }
  type Running = Awaited<ReturnType<typeof start>>
  const tests: Promise<void>[] = []
  const check = (name: string, body: (running: Running) => Promise<void>) => {
    tests.push(t.test(name, async (t) => body(await start(t))))
  }
  /** What is done before the signal; the result holds what comes after it. */
  type Begin = (running: Running) => Promise<() => Promise<void>>
  /** In the short form they meet one signal at one server: most of a check is the start of a server. */
  const checkTogether = (checks: Record<string, Begin>) => {
    const all = Object.entries(checks)
    for (const those of isFull ? all.map((one) => [one]) : [all])
      tests.push(
        t.test(`told to stop while ${those.length} kinds of requests are open`, { concurrency: true }, async (t) => {
          const running = await start(t)
          const begun: [name: string, after: () => Promise<void>][] = []
          for (const [name, begin] of those) begun.push([name, await begin(running)])
          running.signal()
          await Promise.all(begun.map(([name, after]) => t.test(name, after)))
        }),
      )
  }
  const assertLate = (answer: WireAnswer | undefined) => {
    assertError(answer, 503, 'SERVICE_UNAVAILABLE')
    assert.equal(answer && header(answer, 'connection')?.toLowerCase(), 'close')
  }

  // SIGTERM is what most of the others send.
  for (const signal of someOf(['SIGINT', 'SIGTERM'] as const, 1))
    check(
      `${signal} with nothing to do: ready until then, and a quick end`,
      async ({ signal: send, open, exits, port }) => {
        const isReady = async () => (await (await open(message('GET', '/readyz'))).answers(1))[0]?.status === 200
        assert.ok(await comesTrue(5_000, isReady))
        const idle = await open(good)
        assertGood((await idle.answers(1))[0], 200)
        await sleep(300)
        send(signal)
        assert.ok((await exits()) < 4_000)
        assert.equal((await idle.untilEnded()).answers.length, 1)
        assert.equal(await accepts(port), false)
      },
    )
  // What has come in the turn of listening, below, has come before.
  if (isFull)
    check('as soon as it says that it listens', async ({ signal, exits }) => {
      signal()
      await exits()
    })

  const atItsListening = `import { Server } from 'node:net'
    const { listen } = Server.prototype
    Server.prototype.listen = function (...args) {
      return listen.apply(this.once('listening', () => process.kill(process.pid, 'SIGTERM')), args)
    }`
  tests.push(
    t.test('in the turn in which it begins to listen', async (t) => {
      const preload = `--import=data:text/javascript,${encodeURIComponent(atItsListening)}`
      const { process, output } = await origin.copy(t).serve([], { NODE_OPTIONS: preload })
      const ended = process.exitCode === null ? once(process, 'exit') : [process.exitCode, process.signalCode]
      assert.deepEqual(await Promise.race([ended, sleep(15_000, [], { ref: false })]), [0, null], output())
    }),
  )

  checkTogether({
    async 'a body that comes six seconds later is answered as usual, and further signals change nothing'(running) {
      const { open, process, exits, registered, hasRead } = running
      const bytes = register('arrived@example.com')
      const line = await open(bytes.slice(0, -10))
      await hasRead()
      return async () => {
        for (const again of ['SIGTERM', 'SIGINT', 'SIGTERM', 'SIGINT'] as const) {
          await sleep(1_500)
          process.kill(again)
        }
        await line.send(bytes.slice(-10))
        const { answers, ending } = await line.untilEnded()
        assert.equal(answers.length, 1)
        assertGood(answers[0], 201)
        assert.equal(answers[0] && header(answers[0], 'connection')?.toLowerCase(), 'close')
        assert.equal(ending, 'closed')
        await exits()
        assert.deepEqual(await registered('arrived'), ['arrived@example.com'])
      }
    },

    async 'later requests on open connections get 503, are not stored, and the connection ends'(running) {
      const { open, exits, hasRead, isStopping, registered } = running
      const late = register('late@example.com')
      const page = message('GET', '/campaigns', ['Accept: text/html'])
      const [list, write, screen, nowhere, ready, undecodable] = await Promise.all([
        open(good.slice(0, 30)),
        open(late.slice(0, 40)),
        open(page.slice(0, 20)),
        open(message('GET', '/nowhere').slice(0, -4)),
        open(message('GET', '/readyz').slice(0, -4)),
        open(message('GET', '/%zz').slice(0, -4)),
      ])
      const idle = await Promise.all(Array.from({ length: 5 }, () => open(good)))
      for (const line of idle) await line.answers(1)
      await hasRead()
      return async () => {
        await isStopping()
        await Promise.all(idle.map((line) => line.send(register('later@example.com'))))
        await list.send(good.slice(30))
        await write.send(late.slice(40))
        await screen.send(page.slice(20))
        await nowhere.send('\r\n\r\n')
        await ready.send('\r\n\r\n')
        await undecodable.send('\r\n\r\n')
        for (const line of [list, write, screen, nowhere]) {
          const { answers, ending } = await line.untilEnded()
          assert.equal(answers.length, 1)
          assertLate(answers[0])
          assert.notEqual(ending, 'open')
        }
        for (const [line, status] of [
          [ready, 503],
          [undecodable, 404],
        ] as const) {
          const [answer] = (await line.untilEnded()).answers
          assert.equal(answer?.status, status)
          assert.equal(answer && header(answer, 'connection')?.toLowerCase(), 'close')
        }
        for (const line of idle) {
          // One that was closed by then owes nothing.
          const { answers } = await line.untilEnded()
          if (answers.length > 1) assertLate(answers[1])
        }
        await exits()
        assert.deepEqual(await registered('late'), [])
      }
    },

    async 'a mail behind an answer is sent, or the log says that it was not'({ open, exits, output }) {
      const names = ['never', 'soon']
      for (const name of names) {
        mail.state.delayMs = name === 'soon' ? 3_000 : 60_000
        const body = JSON.stringify({ email: `${name}@example.com`, language: 'en' })
        const line = await open(message('POST', '/panel/api/password-resets', ['Content-Type: application/json'], body))
        assert.equal((await line.answers(1))[0]?.status, 200)
        assert.ok(await comesTrue(5_000, async () => mail.state.waiting === names.indexOf(name) + 1))
      }
      return async () => {
        await exits()
        assert.deepEqual(
          mail.received.flatMap(({ to }) => to),
          ['soon@example.com'],
        )
        assert.equal(output().match(/"requestId":"[^"]+".*"EABORT".*a mail was not sent/g)?.length, 1)
      }
    },

    async 'a Test of an endpoint has what its server answers seconds later'({ open, exits }) {
      const before = receiver.all.length
      const line = await open(message('POST', `/api/events/v1/endpoints/${endpointId}/test`, [ofEvents]))
      assert.ok(await comesTrue(5_000, async () => receiver.all.length > before))
      return async () => {
        const [answer] = (await line.untilEnded()).answers
        const { delivered, status } = JSON.parse(String(answer?.body))
        assert.deepEqual([answer?.status, delivered, status], [200, true, 204])
        await exits()
      }
    },

    async 'registrations in flight, some in a pipeline: each answered one is kept'(running) {
      const { open, exits, registered } = running
      const emails = Array.from({ length: 60 }, (_, n) => `flight-${n}@example.com`)
      const lines = await Promise.all(emails.map(() => open(good)))
      for (const line of lines) await line.answers(1) // so that each is a connection that the server has taken
      const asked = (n: number) =>
        register(emails[n] as string) + (n % 2 ? register(`flight-behind-${n}@example.com`) : '')
      await Promise.all(lines.map((line, n) => line.send(asked(n))))
      return async () => {
        const kept: string[] = []
        for (const line of lines) {
          const [, ...answers] = (await line.untilEnded()).answers
          assert.ok(answers.length > 0, 'a request that had arrived was not answered')
          for (const answer of answers) {
            if (answer.status === 503) assertLate(answer)
            else assertGood(answer, 201)
            if (answer.status === 201) kept.push(JSON.parse(answer.body.toString()).email)
          }
        }
        await exits()
        const stored = await registered('flight')
        assert.deepEqual(
          kept.filter((email) => !stored.includes(email)),
          [],
        )
      }
    },
  })

  checkTogether({
    async 'unfinished requests and clients that read no answers do not hold it up'(running) {
      const { open, exits, registered, hasRead } = running
      const half = register('half@example.com').slice(0, -10)
      const lines = await Promise.all([open(), open('G'), open(good.slice(0, 30)), open(half)])
      const dripping = await open(message('POST', leads, ['Content-Length: 900000']))
      const drops = setInterval(() => dripping.socket.writable && dripping.socket.write('x'), 200)
      const deaf = await open()
      deaf.socket.pause()
      // More answers than the system keeps for it, and never so many requests at once that they alone end it.
      const asked = Array.from({ length: 100 }, () => [description.repeat(5), 10])
      await Promise.race([deaf.send(...asked.flat()), sleep(3_000)])
      await hasRead()
      return async () => {
        await exits()
        clearInterval(drops)
        for (const line of [...lines, dripping, deaf]) line.destroy()
        assert.deepEqual(await registered('half'), [])
      }
    },

    async 'a registration that waits for the database'({ open, exits, place }) {
      const { promise: untilFree, resolve: free } = Promise.withResolvers<void>()
      let locked: Promise<void> | undefined
      await new Promise<void>((isLocked, fails) => {
        locked = whileLocked(place, () => {
          isLocked()
          return untilFree
        })
        locked.catch(fails)
      })
      const line = await open(register('waits@example.com'))
      await sleep(150)
      return async () => {
        await sleep(150)
        free()
        await locked
        const { answers } = await line.untilEnded()
        assert.equal(answers.length, 1)
        if (answers[0]?.status !== 201) assertError(answers[0], 503, 'SERVICE_UNAVAILABLE')
        await exits()
      }
    },
  })

  await Promise.all(tests)
})
