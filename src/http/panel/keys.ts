// The account's API keys. A secret is only in the answer that makes it.
import Type from 'typebox'
import { createKey, replaceKey } from '../../access/keys.ts'
import { keyHint } from '../../core/api-key.ts'
import { type Key, scopes } from '../../store/model.ts'
import { closed } from '../schemas.ts'
import { PanelRefusal, refusedAs } from './errors.ts'
import { forOwner, forViewer, type PanelParts } from './route.ts'
import { Name } from './schemas.ts'

/** How long a replaced key keeps working, in seconds. */
const graces = [3_600, 86_400, 604_800] as const

/** What the key opens besides the public API. */
const Scopes = Type.Array(Type.Enum([...scopes]), { uniqueItems: true })

export const keyRoutes = {
  ...forViewer('GET /keys', {
    async run({ session, parts, now }) {
      const { working, ended } = await parts.store.configuration.listRecentKeys(session.account.id, now)
      return { keys: working.map(shown), revoked: ended.map(shown) }
    },
  }),
  ...forOwner('POST /keys', {
    body: Type.Object({ name: Name, scopes: Type.Optional(Scopes) }, closed),
    run: ({ session, parts, body, by }) =>
      createKey(parts.store, session.account.id, body.name, by, body.scopes).catch(refusedAs('TOO_MANY_KEYS')),
  }),
  ...forOwner('PATCH /keys/:keyId', {
    body: Type.Object({ name: Name }, closed),
    async run({ session, parts, params, body, by }) {
      const { id } = await needKey(parts, session.account.id, params.keyId)
      await parts.store.configuration.renameKey(id, body.name, by)
      return {}
    },
  }),
  /** The new key works at once, the old one until its time of grace ends. */
  ...forOwner('POST /keys/:keyId/replacement', {
    body: Type.Object({ name: Name, graceSeconds: Type.Enum([...graces]) }, closed),
    async run({ session, parts, params, body, by }) {
      const old = await needKey(parts, session.account.id, params.keyId)
      const replaced = replaceKey(parts.store, old, body.name, body.graceSeconds, by)
      const made = await replaced.catch(refusedAs('TOO_MANY_KEYS'))
      if (made === undefined) throw new PanelRefusal('CHANGED_MEANWHILE')
      return made
    },
  }),
  ...forOwner('DELETE /keys/:keyId', {
    async run({ session, parts, params, by }) {
      const { id } = await needKey(parts, session.account.id, params.keyId)
      await parts.store.configuration.revokeKey(id, by)
      return {}
    },
  }),
}

/** The account's own key; another's looks as if it did not exist. @throws PanelRefusal */
async function needKey({ store }: PanelParts, accountId: number, keyId: string): Promise<Key> {
  const key = await store.configuration.findKey(keyId)
  if (key?.accountId !== accountId) throw new PanelRefusal('NOT_FOUND')
  return key
}

/** Instants are seconds; `revokedAt` is in the future while a replaced key still works. */
function shown({ id, name, scopes, createdAt, lastUsedAt, revokedAt }: Key) {
  return { id, hint: keyHint(id), name, scopes, createdAt, lastUsedAt, revokedAt }
}
