// An unknown key costs what a wrong secret costs, but for the read of the database.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import type { ConfigCache } from '../../src/campaigns/config-cache.ts'
import { formatApiKey } from '../../src/core/api-key.ts'
import { findKey } from '../../src/http/public/api.ts'

const keyId = '0e4a6c0c-7b0a-4b1e-9a51-0a6a4b2f0c11'
const otherId = keyId.replace('0', '1')
const secret = 'a'.repeat(43)
const account = { id: 1, name: '', suspended: false, countdownTools: true, rateLimit: null }
const key = { id: keyId, secretHash: hash('sha256', secret, 'buffer'), account, revokedAt: null }
const cache = { liveKey: async (id: string) => (id === keyId ? key : undefined) } as Partial<ConfigCache> as ConfigCache

const bearer = (id: string, given: string) => `Bearer ${formatApiKey({ keyId: id, secret: given })}`

async function secondsOf(authorization: string): Promise<number> {
  const startedAt = performance.now()
  for (let n = 0; n < 500; n += 1) await findKey(cache, authorization, 0)
  return performance.now() - startedAt
}

test('an unknown key id is compared with a dummy hash: it takes as long as a wrong secret', async () => {
  const [unknown, wrong] = [bearer(otherId, secret), bearer(keyId, 'b'.repeat(43))]
  assert.equal(await findKey(cache, bearer(keyId, secret), 0), key)
  for (const refused of [unknown, wrong]) assert.equal(await findKey(cache, refused, 0), undefined)
  const least = { unknown: Number.POSITIVE_INFINITY, wrong: Number.POSITIVE_INFINITY }
  for (let round = 0; round < 60; round += 1) {
    least.unknown = Math.min(least.unknown, await secondsOf(unknown))
    least.wrong = Math.min(least.wrong, await secondsOf(wrong))
  }
  const ratio = least.unknown / least.wrong
  assert.ok(ratio > 0.7 && ratio < 1.4, `ratio ${ratio}`)
})
