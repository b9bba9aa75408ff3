// The API for events, beside the public one, with a scope and a rate window of its own.
import type { FastifyPluginAsync } from 'fastify'
import { keyHint } from '../../core/api-key.ts'
import type { Endpoints } from '../../events/endpoints.ts'
import type { Actor } from '../../store/audit.ts'
import type { Endpoint } from '../../store/events.ts'
import type { LiveKey } from '../../store/model.ts'
import { shortAddress } from '../address.ts'
import { apiBeside, type BesideParts } from '../beside/api.ts'
import { Refusal, sendError } from '../errors.ts'
import { parseId } from '../public/leads.ts'
import { description } from './description.ts'
import { operations } from './operations.ts'

export type EventsApiParts = BesideParts & { endpoints: Endpoints }

/** To be registered under `eventsPath`. */
export function eventsApi({ endpoints, ...parts }: EventsApiParts): FastifyPluginAsync {
  const { store, now } = parts
  return apiBeside(parts, {
    operations,
    description,
    admission: {
      refuse: ({ scopes }, reply) => (scopes.includes('events') ? undefined : sendError(reply, 'FORBIDDEN')),
      count: (accountId, limit, nowMs) => store.rates.countVisitor(`events of ${accountId}`, limit, nowMs),
    },
    async perform({ path, needsOn, run }, { key, params, query, body, ip }) {
      if (needsOn && !endpoints.isOn) throw new Refusal('WEBHOOKS_OFF')
      const { id: keyId, account } = key as LiveKey
      const accountId = account.id
      const at = Math.floor(now() / 1_000)
      const by: Actor = { kind: 'key', name: keyHint(keyId), address: shortAddress(ip), at }
      const endpoint = path.includes('{endpointId}')
        ? await needEndpoint(endpoints, accountId, params.endpointId)
        : noEndpoint
      return run({ endpoints, store, accountId, by, endpoint, eventId: params.eventId ?? '', query, body })
    },
  })
}

/** What an operation without an endpoint in its path never looks at. */
const noEndpoint = {} as Endpoint

async function needEndpoint(endpoints: Endpoints, accountId: number, text: string | undefined): Promise<Endpoint> {
  const id = parseId(text)
  const found = id === null ? undefined : await endpoints.find(accountId, id)
  if (found === undefined) throw new Refusal('ENDPOINT_NOT_FOUND')
  return found
}
