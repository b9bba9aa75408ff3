// An unknown key costs what a wrong secret costs, but for the read of the database.
import assert from 'node:assert/strict'
import crypto, { hash } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { test } from 'node:test'
import type { ConfigCache } from '../../src/campaigns/config-cache.ts'
import { formatApiKey } from '../../src/core/api-key.ts'
import { findKey } from '../../src/http/public/api.ts'

const keyId = '0e4a6c0c-7b0a-4b1e-9a51-0a6a4b2f0c11'
const otherId = keyId.replace('0', '1')
const secret = 'a'.repeat(43)
const account = { id: 1, name: '', suspended: false, countdownTools: true, rateLimit: null }
const key = { id: keyId, secretHash: hash('sha256', secret, 'buffer'), account, graceEndsAt: null }
const cache = { liveKey: async (id: string) => (id === keyId ? key : undefined) } as Partial<ConfigCache> as ConfigCache

const bearer = (id: string, given: string) => `Bearer ${formatApiKey({ keyId: id, secret: given })}`

test('an unknown key id is compared with a dummy hash: it takes the work of a wrong secret', async (t) => {
  const hashing = t.mock.method(crypto, 'hash')
  const comparing = t.mock.method(crypto, 'timingSafeEqual')
  syncBuiltinESMExports()
  t.after(() => {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  })
  // Its time is not measured: on a busy machine it says nothing.
  const workFor = async (authorization: string, found?: object) => {
    hashing.mock.resetCalls()
    comparing.mock.resetCalls()
    assert.equal(await findKey(cache, authorization, 0), found)
    const bytes = comparing.mock.calls.map(({ arguments: [one, other] }) => [one.byteLength, other.byteLength])
    return { hashed: hashing.mock.calls.map((call) => call.arguments), bytes }
  }
  const wrong = 'b'.repeat(43)
  const work = (given: string) => ({ hashed: [['sha256', given, 'buffer']], bytes: [[32, 32]] })
  assert.deepEqual(await workFor(bearer(keyId, secret), key), work(secret))
  assert.deepEqual(await workFor(bearer(keyId, wrong)), work(wrong))
  assert.deepEqual(await workFor(bearer(otherId, wrong)), work(wrong))
})
