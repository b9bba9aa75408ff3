// kill -9 at random moments under load. What was answered is stored, once; what is stored was asked for.
// KILLS=200 node --test test/process/durability.test.ts repeats it as often.
import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { campaignFile, installation, owner, type Server } from '../support/lastcall.ts'
import { several } from '../support/prepared.ts'

const kills = Number(process.env.KILLS ?? 20)
const clients = 24

type Answered = { registeredAt: string; deadline: string; ref: string; created: number }

test(`kill -9, ${kills} times`, { timeout: 60_000 + kills * 5_000 }, async (t) => {
  const place = installation(t)
  const { key, campaignId, accountId } = await owner(place)
  const resetting = await place.json(
    ['campaign', 'apply', '--account', String(accountId), '-'],
    campaignFile({
      mechanism: {
        startsOn: 'registration',
        deadline: { kind: 'after', period: 'PT48H' },
        reset: { enabled: true },
      },
    }),
  )
  const attempted = new Set<string>()
  const answered = new Map<string, Answered>()
  let fresh: string[] = []
  let emails = 0
  let resets = 0
  let shared = 'shared@example.com'

  async function post(server: Server, agent: http.Agent, path: string, email: string) {
    const body = JSON.stringify({ email })
    return new Promise<{ status: number; body: any }>((resolve, reject) => {
      const request = http.request(`${server.base}/campaigns/${path}`, {
        method: 'POST',
        agent,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'content-length': body.length,
        },
      })
      request.on('error', reject)
      request.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        response.on('error', reject)
        response.on('close', () => {
          if (response.complete) resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) })
          else reject(new Error('cut off'))
        })
      })
      request.end(body)
    })
  }

  const refOf = (body: any) => /\/go\/\d+\/([^/]+)$/.exec(body.offerLinks[0].url)?.[1] ?? ''

  /** Registers until the server is gone. Half of the emails are tried by several clients at once. */
  async function load(server: Server, killed: () => boolean): Promise<void> {
    const agent = new http.Agent({ keepAlive: true, maxSockets: clients })
    await several(clients, Array.from({ length: clients }), async () => {
      while (!killed()) {
        if (emails++ % 4 === 0) shared = `shared-${emails}@example.com`
        const email = emails % 2 ? shared : `single-${emails}@example.com`
        attempted.add(email)
        try {
          const { status, body } = await post(server, agent, `${campaignId}/leads`, email)
          assert.ok(status === 200 || status === 201, `${status} ${JSON.stringify(body)}`)
          assert.equal(body.created, status === 201)
          keep(email, body)
          if (emails % 10 === 0) {
            const reset = await post(server, agent, `${resetting.id}/leads`, 'reset@example.com')
            assert.ok(reset.status === 200 || reset.status === 201)
            resets += 1
          }
        } catch (error) {
          if (error instanceof assert.AssertionError || !killed()) throw error
        }
      }
    })
    agent.destroy()
  }

  function keep(email: string, body: any): void {
    const now = { registeredAt: body.registeredAt, deadline: body.deadline, ref: refOf(body) }
    const before = answered.get(email)
    const created = (before?.created ?? 0) + (body.created ? 1 : 0)
    if (before) assert.deepEqual({ ...before, created }, { ...now, created })
    assert.ok(created <= 1, `${email} was created twice`)
    answered.set(email, { ...now, created })
    fresh.push(email)
  }

  async function assertKept(server: Server, expected: string[]): Promise<void> {
    const agent = new http.Agent({ keepAlive: true, maxSockets: clients })
    await several(clients, [...new Set(expected)], async (email) => {
      const { status, body } = await post(server, agent, `${campaignId}/leads/lookup`, email)
      const { created: _, ...kept } = answered.get(email) as Answered
      assert.equal(status, 200, `${email} is lost: ${JSON.stringify(body)}`)
      assert.deepEqual({ registeredAt: body.registeredAt, deadline: body.deadline, ref: refOf(body) }, kept)
    })
    for (const email of expected.slice(0, 3)) {
      const { status, body } = await post(server, agent, `${campaignId}/leads`, email)
      assert.deepEqual([status, body.created, refOf(body)], [200, false, answered.get(email)?.ref])
    }
    agent.destroy()
  }

  /** On a copy, so that it is the server that finds the files as the kill has left them. */
  function assertIntact(): void {
    const copy = mkdtempSync(join(tmpdir(), 'lastcall-killed-'))
    try {
      cpSync(place.folder, copy, { recursive: true })
      const database = new DatabaseSync(join(copy, 'lastcall.db'))
      const rows = database.prepare('PRAGMA integrity_check').all()
      assert.deepEqual(
        rows.map((row) => row.integrity_check),
        ['ok'],
      )
      database.close()
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
  }

  for (let round = 0; round < kills; round++) {
    const server = await place.serve(['--rate-limit', '1000000000'])
    await assertKept(server, fresh)
    fresh = []
    let killed = false
    const loading = load(server, () => killed)
    loading.catch(() => {}) // looked at below, after the kill
    await sleep(10 + Math.random() * 250)
    killed = true
    server.process.kill('SIGKILL')
    await loading
    assertIntact()
  }

  const server = await place.serve(['--rate-limit', '1000000000'])
  await assertKept(server, [...answered.keys()])
  assert.equal(await server.stop(), 0)
  assertIntact()

  const leads = await place.json<{ email: string }[]>(['lead', 'list', '--campaign', String(campaignId)])
  const stored = leads.map(({ email }) => email)
  assert.equal(new Set(stored).size, stored.length, 'a lead is stored twice')
  for (const email of stored) assert.ok(attempted.has(email), `${email} was never asked for`)
  for (const email of answered.keys()) assert.ok(stored.includes(email), `${email} is lost`)
  assert.ok(answered.size > kills, `only ${answered.size} registrations were answered`)
  t.diagnostic(
    `${attempted.size} attempted, ${stored.length} stored, ${answered.size} answered, ${resets} resets`,
  )
})
