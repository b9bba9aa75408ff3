// What machines that watch the service see, and that the service calls nobody.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { amount } from '../support/faults.ts'
import { openShop, several } from '../support/prepared.ts'
import { assertError, header, message, onlyAnswer } from '../support/wire.ts'

test('operations', { timeout: 400_000 }, async (t) => {
  const shop = await openShop(t)
  const { place, server, port, key, keyId, bearer, jsonType, leads, campaignId } = shop
  const secret = key.slice(key.indexOf('.') + 1)
  const planted = 'planted-person'
  const ask = (method: string, target: string, headers: string[] = [], body = '') =>
    onlyAnswer(port, [message(method, target, headers, body)], { halfClose: true, methods: [method] })

  await t.test('traffic of every kind', async () => {
    const input = JSON.stringify({ email: `${planted}@example.com` })
    const statuses: number[] = []
    for (const [method, target, headers, body] of [
      ['POST', leads, [bearer, jsonType], input],
      ['POST', leads, [bearer, jsonType], input],
      ['POST', `${leads}/lookup`, [bearer, jsonType], input],
      ['POST', `${leads}/lookup`, [bearer, jsonType], input.replace('person', 'stranger')],
      ['POST', leads, [bearer, jsonType], input.replace('}', `,"${planted}":"${planted}"}`)],
      ['POST', leads, [bearer, jsonType], input.slice(1)],
      ['POST', `${leads}?email=${planted}%40example.com`, [bearer, jsonType], input],
      ['POST', `/api/public/v1/${planted}/leads`, [bearer, jsonType], input],
      ['POST', `/${planted}`, [bearer, jsonType], input],
      ['GET', `/api/public/v1/campaigns?afterId=${planted}`, [bearer], ''],
      ['GET', `/api/public/v1/campaigns?key=${secret}`, [`Authorization: Bearer ${key}x`], ''],
      [
        'POST',
        leads,
        [bearer, `Content-Type: ${planted}/json`, `User-Agent: ${planted}`, `Referer: ${planted}`],
        input,
      ],
      ['POST', leads, [bearer, jsonType], JSON.stringify({ email: `${planted} ${'x'.repeat(20_000)}` })],
      [`GET`, `/healthz?email=${planted}`, [], ''],
    ] as [string, string, string[], string][]) {
      statuses.push((await ask(method, target, headers, body)).status)
    }
    assert.deepEqual(statuses, [201, 200, 200, 404, 422, 400, 422, 404, 404, 400, 401, 415, 413, 200])
  })

  for (const path of ['/healthz', '/readyz', '/metrics'])
    await t.test(`${path} needs no key and tells of nobody`, async () => {
      const answer = await ask('GET', path)
      assert.equal(answer.status, 200)
      const told = answer.body.toString('utf8') + JSON.stringify([...answer.headers])
      for (const personal of [planted, secret, keyId, 'example.com', 'Owner'])
        assert.ok(!told.includes(personal), `${path} tells ${personal}`)
      assert.equal((await ask('HEAD', path)).status, 200)
      assertError(await ask('POST', path), 404, 'NOT_FOUND')
      assertError(await ask('GET', `${path}/`), 404, 'NOT_FOUND')
      // A wrong key is no reason to refuse.
      assert.equal((await ask('GET', path, ['Authorization: Bearer nonsense'])).status, 200)
    })

  await t.test('/metrics is in the format of Prometheus', async () => {
    const answer = await ask('GET', '/metrics')
    assert.match(header(answer, 'content-type') ?? '', /^text\/plain\b/)
    const lines = answer.body.toString('utf8').split('\n')
    for (const line of lines)
      assert.match(line, /^(|# (HELP|TYPE) .*|[a-zA-Z_:][a-zA-Z0-9_:]*(\{[^{}]*\})? [-+0-9.eNaInf]+)$/)
    assert.ok(lines.some((line) => /^lastcall_history_lost_total(\{.*\})? 0$/.test(line)))
  })

  await t.test('nothing personal is in the log', () => {
    for (const personal of [planted, secret]) assert.ok(!server.output().includes(personal), server.output())
  })

  await t.test('structured logs are one JSON object a line, behind the first line', () => {
    const [first, ...rest] = server.output().trimEnd().split('\n')
    assert.match(first ?? '', /^Lastcall listening on http:\/\/127\.0\.0\.1:\d+$/)
    for (const line of rest) assert.equal(typeof JSON.parse(line), 'object')
  })

  await t.test('no outgoing connection but to PostgreSQL, only the port and what came in through it', async () => {
    const { protocol: engine, port: databasePort } = new URL(place.databaseUrl)
    const isToDatabase = ({ remotePort }: SocketSeen) => engine === 'postgres:' && remotePort === Number(databasePort)
    const pid = server.process.pid as number
    let stopping = false
    const clients = amount(4, 20)
    const load = several(clients, Array.from({ length: clients }), async () => {
      for (let n = 0; !stopping; n++) {
        const email = `${Math.random()}-${n}@example.com`
        const answer = await fetch(`${server.base}/campaigns/${campaignId}/leads`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ email }),
        })
        assert.equal(answer.status, 201)
        await answer.arrayBuffer()
        await sleep(amount(10, 0))
      }
    })
    let accepted = 0
    try {
      for (let n = 0; n < amount(20, 40); n++) {
        for (const { protocol, localPort, listening } of socketsOf(pid).filter((one) => !isToDatabase(one))) {
          assert.equal(protocol, 'tcp', `a socket of ${protocol}`)
          assert.equal(localPort, port, `a connection from port ${localPort}`)
          if (!listening) accepted += 1
        }
        await sleep(25)
      }
    } finally {
      stopping = true
      await load
    }
    assert.ok(accepted > 0, 'the load was not seen')
  })

  assert.equal(await server.stop(), 0)
  await t.test('nothing personal is in any file of the history or in the logs of the end', () => {
    for (const personal of [planted, secret]) assert.ok(!server.output().includes(personal))
    for (const name of readdirSync(place.folder).filter((name) => name.includes('history')))
      for (const personal of [planted, secret])
        assert.ok(!readFileSync(`${place.folder}/${name}`).includes(personal), `${personal} in ${name}`)
  })
})

type SocketSeen = { protocol: string; localPort: number; remotePort: number; listening: boolean }

/** The internet sockets of a process, from /proc. */
function socketsOf(pid: number): SocketSeen[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []
      } catch {
        return [] // closed in between
      }
    }),
  )
  return ['tcp', 'tcp6', 'udp', 'udp6', 'raw', 'raw6'].flatMap((table) =>
    readFileSync(`/proc/${pid}/net/${table}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((columns) => inodes.has(columns[9] ?? ''))
      .map(([, local = '', remote = '', state]) => ({
        protocol: table.replace('6', ''),
        localPort: portOf(local),
        remotePort: portOf(remote),
        listening: state === '0A',
      })),
  )
}

const portOf = (address: string) => Number.parseInt(address.split(':')[1] ?? '', 16)
