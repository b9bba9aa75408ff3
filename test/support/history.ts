// The request history as `history list` prints it; no property of it may be anything but one of eight facts.
import assert from 'node:assert/strict'
import type { Installation } from './lastcall.ts'

export type Entry = {
  time: string
  requestId: string
  /** Whatever tells the key: an id, a hint, a name, or several of them. */
  key: unknown
  operation: string | null
  campaignId: number | null
  status: number
  errorCode: string | null
  milliseconds: number
}

const facts: [keyof Entry, RegExp][] = [
  ['time', /^(time|at)$/],
  ['requestId', /^requestId$/],
  ['key', /^key(Id|Hint|Name)?$/],
  ['operation', /^operation$/],
  ['campaignId', /^campaignId$/],
  ['status', /^status$/],
  ['errorCode', /^(errorCode|code)$/],
  ['milliseconds', /^milliseconds$/],
]

export async function historyOf(place: Installation, accountId: number): Promise<Entry[]> {
  const listed = await place.json(['history', 'list', '--account', String(accountId)])
  const entries: Record<string, unknown>[] = Array.isArray(listed) ? listed : listed.items
  return entries.map((entry) => {
    const known: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(entry)) {
      const fact = facts.find(([, pattern]) => pattern.test(name))?.[0]
      assert.ok(fact, `${name} is none of the facts that the history may hold`)
      known[fact] = fact === 'key' ? [known.key ?? [], value].flat() : value
    }
    assert.deepEqual(Object.keys(known).sort(), facts.map(([fact]) => fact).sort())
    return known as Entry
  })
}
