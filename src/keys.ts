import { hash, randomBytes, randomUUID } from 'node:crypto'
import { formatApiKey } from './core/api-key.ts'
import type { Seconds } from './core/instant.ts'
import type { Store } from './store/store.ts'

export type NewKey = {
  id: string
  name: string
  /** The whole key with its secret, which is kept nowhere. */
  key: string
}

/** Makes a key of the account; the only time that its secret is known. */
export async function createKey(
  store: Store,
  accountId: number,
  name: string,
  now: Seconds,
): Promise<NewKey> {
  const id = randomUUID()
  const secret = randomBytes(32).toString('base64url')
  await store.createKey({ id, accountId, name, createdAt: now, secretHash: secretHash(secret) })
  return { id, name, key: formatApiKey({ keyId: id, secret }) }
}

/** What is stored of a secret: SHA-256, which is enough for 32 random bytes. */
function secretHash(secret: string): Uint8Array {
  return hash('sha256', secret, 'buffer')
}
