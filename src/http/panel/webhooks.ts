// The account's endpoints, and the log of what they were told. A secret is in the one answer that makes it.
import Type from 'typebox'
import { type EventKind, wantedKinds } from '../../core/events.ts'
import type { Fault } from '../../core/fault.ts'
import type { TryCause } from '../../events/sender.ts'
import type { DeliveryEntry } from '../../history/deliveries.ts'
import type { Session } from '../../store/access.ts'
import { Refused } from '../../store/errors.ts'
import type { Endpoint } from '../../store/events.ts'
import { EndpointInput, LogQuery, ResumeInput, SecretInput } from '../events/schemas.ts'
import { PanelRefusal } from './errors.ts'
import { type Asked, forOwner, forViewer, type PanelParts } from './route.ts'
import { closed } from './schemas.ts'

const tries = 50
/** To choose from; an endpoint takes as many. */
const allCampaigns = { limit: 1_000, afterId: 0, isDraft: null }
type OfOne = Pick<Asked<'GET /webhooks/:endpointId', unknown, unknown, Session>, 'parts' | 'params' | 'session'>

export const webhookRoutes = {
  ...forViewer('GET /webhooks', {
    async run({ session, parts: { endpoints, store } }) {
      const list = await endpoints.list(session.account.id)
      const campaigns = await store.configuration.listCampaigns(session.account.id, allCampaigns)
      return {
        isOn: endpoints.isOn,
        kinds: wantedKinds,
        campaigns: campaigns.map(({ id, name }) => ({ id, name })),
        endpoints: await Promise.all(list.map(endpoints.view)),
      }
    },
  }),
  ...forOwner('POST /webhooks', {
    body: EndpointInput,
    async run({ session, parts, body, by }) {
      needOn(parts)
      const { endpoints } = parts
      const made = await endpoints.create(session.account.id, checked(parts, body), by).catch((error) => {
        throw error instanceof Refused ? new PanelRefusal('TOO_MANY_WEBHOOKS') : error
      })
      return { id: made.id, name: made.settings.name, secret: endpoints.secret(made) }
    },
  }),
  ...forOwner('PUT /webhooks/:endpointId', {
    body: EndpointInput,
    async run(asked) {
      const { id, accountId } = await needEndpoint(asked)
      await asked.parts.endpoints.change({ id, accountId }, checked(asked.parts, asked.body), asked.by)
      return {}
    },
  }),
  ...forOwner('DELETE /webhooks/:endpointId', {
    async run(asked) {
      await asked.parts.endpoints.remove(await needEndpoint(asked), asked.by)
      return {}
    },
  }),
  ...forOwner('POST /webhooks/:endpointId/secret', {
    body: SecretInput,
    async run(asked) {
      const endpoint = await needEndpoint(asked)
      const secret = await asked.parts.endpoints.rotate(endpoint, asked.body.graceHours, asked.by)
      if (secret === undefined) throw new PanelRefusal('NOT_FOUND')
      return { id: endpoint.id, name: endpoint.settings.name, secret }
    },
  }),
  ...forOwner('POST /webhooks/:endpointId/test', {
    async run(asked) {
      needOn(asked.parts)
      return asked.parts.endpoints.test(await needEndpoint(asked))
    },
  }),
  ...forOwner('POST /webhooks/:endpointId/pause', {
    async run(asked) {
      await asked.parts.endpoints.pause(await needEndpoint(asked), asked.by)
      return {}
    },
  }),
  ...forOwner('POST /webhooks/:endpointId/resume', {
    body: ResumeInput,
    async run(asked) {
      needOn(asked.parts)
      await asked.parts.endpoints.resume(await needEndpoint(asked), asked.body.from, asked.by)
      return {}
    },
  }),
  ...forOwner('POST /webhooks/:endpointId/backfill/:campaignId', {
    async run(asked) {
      needOn(asked.parts)
      await asked.parts.endpoints.backfill(await needEndpoint(asked), asked.campaign.id, asked.by)
      return {}
    },
  }),
  ...forViewer('GET /webhooks/:endpointId/deliveries', {
    query: LogQuery,
    async run(asked) {
      const endpoint = await needEndpoint(asked)
      const page = await asked.parts.endpoints.log(endpoint, {
        ...asked.query,
        limit: Number(asked.query.limit ?? tries),
      })
      if (page === undefined) throw new PanelRefusal('INVALID')
      const { entries, next } = page
      const leads = await leadsOf(asked.parts, asked.session.account.id, entries)
      return {
        entries: entries.map(({ accountId, endpointId, detail, kind, leadId, ...entry }) => ({
          ...{ ...entry, kind: kind as EventKind, cause: entry.cause as TryCause | null },
          /** Null of an event that is of no lead; without an email where the lead was erased. */
          lead: leadId > 0 ? (leads.get(leadId) ?? { email: null, campaignId: 0, ref: '' }) : null,
        })),
        next,
      }
    },
  }),
  ...forOwner('POST /webhooks/:endpointId/resend', {
    body: Type.Object({ eventId: Type.String({ maxLength: 40 }) }, closed),
    async run(asked) {
      needOn(asked.parts)
      if (!(await asked.parts.endpoints.resend(await needEndpoint(asked), asked.body.eventId, asked.by))) {
        throw new PanelRefusal('NOT_FOUND')
      }
      return {}
    },
  }),
}

/** The log has no email: it is looked up while there is one. */
async function leadsOf({ store, configCache }: PanelParts, accountId: number, entries: readonly DeliveryEntry[]) {
  const ids = [...new Set(entries.map(({ leadId }) => leadId).filter((id) => id > 0))]
  const found = ids.length === 0 ? [] : await store.leads.findByIds(accountId, ids)
  const leads = new Map<number, { email: string; campaignId: number; ref: string }>()
  for (const { id, campaignId, lead } of found) {
    const campaign = await configCache.campaign(campaignId)
    if (campaign === undefined) continue
    const { email, ref } = await lead(campaign)
    leads.set(id, { email, campaignId, ref })
  }
  return leads
}

/** The account's own endpoint; another's looks as if it did not exist. @throws PanelRefusal */
async function needEndpoint({ parts, session, params }: OfOne): Promise<Endpoint> {
  const endpoint = await parts.endpoints.find(session.account.id, params.endpointId)
  if (endpoint === undefined) throw new PanelRefusal('NOT_FOUND')
  return endpoint
}

/** @throws PanelRefusal */
function needOn({ endpoints }: PanelParts): void {
  if (!endpoints.isOn) throw new PanelRefusal('WEBHOOKS_OFF')
}

/** @throws PanelRefusal */
function checked({ endpoints }: PanelParts, value: unknown) {
  const result = endpoints.check(value)
  if ('faults' in result) throw new PanelRefusal('INVALID', result.faults satisfies Fault[])
  return result.settings
}
