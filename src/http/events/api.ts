// The API for events, beside the public one, with a scope and a rate window of its own.
import type { FastifyPluginAsync } from 'fastify'
import { keyHint } from '../../core/api-key.ts'
import { secondsOf } from '../../core/instant.ts'
import { EndpointRefused, type Endpoints } from '../../events/endpoints.ts'
import type { Actor } from '../../store/audit.ts'
import type { LiveKey } from '../../store/model.ts'
import { shortAddress } from '../address.ts'
import { apiBeside, type BesideParts } from '../beside/api.ts'
import { Refusal } from '../errors.ts'
import { parseId } from '../framework.ts'
import { description } from './description.ts'
import { eventOperations } from './operations.ts'

type EventsApiParts = BesideParts & { endpoints: Endpoints }

/** To be registered under `eventsPath`. */
export function eventsApi({ endpoints, ...parts }: EventsApiParts): FastifyPluginAsync {
  const { store, now } = parts
  return apiBeside(parts, {
    operations: eventOperations,
    description,
    admission: {
      admits: ({ scopes }) => scopes.includes('events'),
      count: store.rates.countEvents,
    },
    async perform({ run }, { key, params, query, body, ip }) {
      const { id: keyId, account } = key as LiveKey
      const at = secondsOf(now())
      const by: Actor = { kind: 'key', name: keyHint(keyId), address: shortAddress(ip), at }
      const { endpointId, eventId = '' } = params
      const asked = { endpoints: endpoints.of(account.id, by), id: parseId(endpointId) ?? 0, eventId, query, body }
      return run(asked).catch((error) => {
        throw error instanceof EndpointRefused ? new Refusal(error.code, error.message) : error
      })
    },
  })
}
