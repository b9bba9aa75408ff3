import { randomUUID } from 'node:crypto'
import { formatApiKey } from '../core/api-key.ts'
import type { Seconds } from '../core/instant.ts'
import type { Actor } from '../store/audit.ts'
import type { Key, NewKey, Scope } from '../store/model.ts'
import type { Store } from '../store/store.ts'
import { hashOf, newToken } from './tokens.ts'

type MadeKey = {
  id: string
  name: string
  /** The whole key with its secret, which is not stored. */
  key: string
}

/** Makes a key of the account; the only time that its secret is known. @throws Refused where it has too many */
export async function createKey(
  store: Store,
  accountId: number,
  name: string,
  by: Actor,
  scopes: readonly Scope[] = [],
): Promise<MadeKey> {
  const { made, stored } = draw(accountId, name, by.at, scopes)
  await store.configuration.createKey(stored, by)
  return made
}

/**
 * Replaces a key of the account; the old one keeps working for `graceSeconds`. Undefined if it was revoked or replaced
 * before. @throws Refused where the account has too many
 */
export async function replaceKey(
  store: Store,
  old: Pick<Key, 'id' | 'accountId' | 'scopes'>,
  name: string,
  graceSeconds: number,
  by: Actor,
): Promise<MadeKey | undefined> {
  const { made, stored } = draw(old.accountId, name, by.at, old.scopes)
  return (await store.configuration.replaceKey(old.id, by.at + graceSeconds, stored, by)) ? made : undefined
}

function draw(
  accountId: number,
  name: string,
  now: Seconds,
  scopes: readonly Scope[],
): { made: MadeKey; stored: NewKey } {
  const id = randomUUID()
  const secret = newToken()
  return {
    made: { id, name, key: formatApiKey({ keyId: id, secret }) },
    stored: { id, accountId, name, scopes, createdAt: now, secretHash: hashOf(secret) },
  }
}
