// A load of registrations that keeps book: answered is a subset of stored, and stored of attempted.
import assert from 'node:assert/strict'
import http from 'node:http'
import type { Installation, Owner, Server } from './lastcall.ts'
import { several } from './prepared.ts'

type Kept = { registeredAt: string; deadline: string; ref: string }
export type Told = { status: number; body: any; tookMs: number }

/** No answer may take as long; one that takes longer is called a hang. */
const hangMs = 10_000
const hang = `no answer within ${hangMs} ms`

export type Load = {
  servers: Server[]
  clients: number
  isOver(): boolean
  /** Answers but 200 and 201 that are as they should be. */
  tolerates?(told: Told): boolean
  /** True where a connection may break: its server was killed, or is about to be. */
  mayBreak?(server: Server): boolean
  /** True where somebody keeps the server too busy to answer. */
  mayHang?: boolean
}

export type Ledger = {
  post(server: Server, path: 'leads' | 'leads/lookup', email: string): Promise<Told>
  /** Registers, half of the emails by several clients at once, until it is over. */
  load(load: Load): Promise<void>
  /** Registers one email and keeps book of it; fails unless it is 200 or 201, or tolerated. */
  register(server: Server, email: string, tolerates?: Load['tolerates']): Promise<Told>
  /** What was answered since this was last asked is found as it was answered, and again when it is registered again. */
  assertKept(server: Server, emails?: string[]): Promise<void>
  /** The whole book against the whole table. */
  assertBook(): Promise<void>
  answered(): string[]
  /** How many answers of each status. */
  counts: Map<number, number>
}

export function newLedger(place: Installation, { key, campaignId }: Owner): Ledger {
  const attempted = new Set<string>()
  const answered = new Map<string, Kept & { created: boolean }>()
  const counts = new Map<number, number>()
  const agent = new http.Agent({ keepAlive: true, maxSockets: 256 })
  let fresh: string[] = []
  let emails = 0
  let shared = ''

  function post(server: Server, path: string, email: string): Promise<Told> {
    const body = JSON.stringify({ email })
    const startedAt = performance.now()
    return new Promise((resolve, reject) => {
      const request = http.request(`${server.base}/campaigns/${campaignId}/${path}`, {
        method: 'POST',
        agent,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'content-length': body.length,
        },
      })
      const hung = setTimeout(() => {
        reject(new assert.AssertionError({ message: hang }))
        request.destroy()
      }, hangMs)
      const end = (tell: () => void) => {
        clearTimeout(hung)
        tell()
      }
      request.on('error', (error) => end(() => reject(error)))
      request.on('response', (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        response.on('error', () => {})
        response.on('close', () =>
          end(() => {
            const tookMs = performance.now() - startedAt
            if (response.complete) resolve({ status: response.statusCode ?? 0, body: JSON.parse(text), tookMs })
            else reject(new Error('cut off'))
          }),
        )
      })
      request.end(body)
    })
  }

  async function register(server: Server, email: string, tolerates: Load['tolerates'] = () => false) {
    attempted.add(email)
    const told = await post(server, 'leads', email)
    const { status, body } = told
    counts.set(status, (counts.get(status) ?? 0) + 1)
    if (status === 200 || status === 201) {
      assert.equal(body.created, status === 201)
      keep(email, body)
    } else assert.ok(tolerates(told), `${status} after ${told.tookMs} ms: ${JSON.stringify(body)}`)
    return told
  }

  function keep(email: string, body: any): void {
    const now = keptOf(body)
    const before = answered.get(email)
    if (before !== undefined) {
      const { created, ...then } = before
      assert.deepEqual(now, then, `${email} is another lead on retry`)
      assert.ok(!(created && body.created), `${email} was created twice`)
    }
    answered.set(email, { ...now, created: body.created || (before?.created ?? false) })
    fresh.push(email)
  }

  function nextEmail(): string {
    emails += 1
    if (emails % 4 === 1) shared = `shared-${emails}@example.com`
    return emails % 2 ? shared : `single-${emails}@example.com`
  }

  return {
    post,
    register,
    counts,
    answered: () => [...answered.keys()],
    async load({ servers, clients, isOver, tolerates, mayBreak = isOver, mayHang = false }) {
      await several(clients, [...Array(clients).keys()], async (client) => {
        for (let n = client; !isOver(); n += 1) {
          const server = servers[n % servers.length] as Server
          try {
            await register(server, nextEmail(), tolerates)
          } catch (error) {
            const isFailure = error instanceof assert.AssertionError && !(mayHang && error.message === hang)
            if (isFailure || !mayBreak(server)) throw error
          }
        }
      })
    },
    async assertKept(server, emails = fresh) {
      if (emails === fresh) fresh = []
      await several(24, [...new Set(emails)], async (email) => {
        const { status, body } = await post(server, 'leads/lookup', email)
        assert.equal(status, 200, `${email} is lost: ${JSON.stringify(body)}`)
        const { created: _, ...kept } = answered.get(email) as Kept & { created: boolean }
        assert.deepEqual(keptOf(body), kept)
      })
      for (const email of emails.slice(0, 3)) {
        const { status, body } = await post(server, 'leads', email)
        assert.deepEqual([status, body.created], [200, false])
      }
    },
    async assertBook() {
      agent.destroy()
      const leads = await place.json<{ email: string }[]>(['lead', 'list', '--campaign', String(campaignId)])
      const stored = new Set(leads.map(({ email }) => email))
      assert.equal(stored.size, leads.length, 'a lead is stored twice')
      for (const email of stored) assert.ok(attempted.has(email), `${email} was never asked for`)
      for (const email of answered.keys()) assert.ok(stored.has(email), `${email} is lost`)
    },
  }
}

function keptOf(body: any): Kept {
  const ref = /\/go\/\d+\/([^/]+)$/.exec(body.offerLinks[0].url)?.[1] ?? ''
  return { registeredAt: body.registeredAt, deadline: body.deadline, ref }
}
