// The account's API keys. A secret is only in the answer that makes it.
import Type from 'typebox'
import { createKey, isWorking, replaceKey } from '../../access/keys.ts'
import { keyHint } from '../../core/api-key.ts'
import type { Seconds } from '../../core/instant.ts'
import { type Key, scopes } from '../../store/model.ts'
import { closed } from '../schemas.ts'
import { PanelRefusal } from './errors.ts'
import { forOwner, forViewer, type PanelParts } from './route.ts'
import { Name } from './schemas.ts'

/** Keys that work at the same time. */
const mostKeys = 100
/** How many keys that no longer work are shown. */
const mostRevoked = 100

/** How long a replaced key keeps working, in seconds. */
const graces = [3_600, 86_400, 604_800] as const

/** What the key opens besides the public API. */
const Scopes = Type.Array(Type.Enum([...scopes]), { uniqueItems: true })

export const keyRoutes = {
  ...forViewer('GET /keys', {
    async run({ session, parts, now }) {
      const keys = await parts.store.configuration.listKeys(session.account.id)
      const working = keys.filter((key) => isWorking(key, now))
      const revoked = keys.filter((key) => !isWorking(key, now))
      const newestFirst = revoked.sort((a, b) => (b.revokedAt as number) - (a.revokedAt as number))
      return { keys: working.map(shown), revoked: newestFirst.slice(0, mostRevoked).map(shown) }
    },
  }),
  ...forOwner('POST /keys', {
    body: Type.Object({ name: Name, scopes: Type.Optional(Scopes) }, closed),
    async run({ session, parts, body, now, by }) {
      await needRoom(parts, session.account.id, now)
      return createKey(parts.store, session.account.id, body.name, by, body.scopes)
    },
  }),
  ...forOwner('PATCH /keys/:keyId', {
    body: Type.Object({ name: Name }, closed),
    async run({ session, parts, params, body, by }) {
      const { id } = await needKey(parts, session.account.id, params.keyId)
      return shown((await parts.store.configuration.renameKey(id, body.name, by)) as Key)
    },
  }),
  /** The new key works at once, the old one until its time of grace ends. */
  ...forOwner('POST /keys/:keyId/replacement', {
    body: Type.Object({ name: Name, graceSeconds: Type.Enum([...graces]) }, closed),
    async run({ session, parts, params, body, now, by }) {
      const old = await needKey(parts, session.account.id, params.keyId)
      await needRoom(parts, session.account.id, now)
      const made = await replaceKey(parts.store, old, body.name, body.graceSeconds, by)
      if (made === undefined) throw new PanelRefusal('CHANGED_MEANWHILE')
      return made
    },
  }),
  ...forOwner('DELETE /keys/:keyId', {
    async run({ session, parts, params, by }) {
      const { id } = await needKey(parts, session.account.id, params.keyId)
      return shown((await parts.store.configuration.revokeKey(id, by)) as Key)
    },
  }),
}

/** The account's own key; another's looks as if it did not exist. @throws PanelRefusal */
async function needKey({ store }: PanelParts, accountId: number, keyId: string): Promise<Key> {
  const key = await store.configuration.findKey(keyId)
  if (key?.accountId !== accountId) throw new PanelRefusal('NOT_FOUND')
  return key
}

/** @throws PanelRefusal */
async function needRoom({ store }: PanelParts, accountId: number, now: Seconds): Promise<void> {
  const working = (await store.configuration.listKeys(accountId)).filter((key) => isWorking(key, now))
  if (working.length >= mostKeys) throw new PanelRefusal('TOO_MANY_KEYS')
}

/** Instants are seconds; `revokedAt` is in the future while a replaced key still works. */
function shown({ id, name, scopes, createdAt, lastUsedAt, revokedAt }: Key) {
  return { id, hint: keyHint(id), name, scopes, createdAt, lastUsedAt, revokedAt }
}
