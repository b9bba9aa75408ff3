// The account's endpoints, and the log of what they were told. A secret is in the one answer that makes it.
import Type from 'typebox'
import { endpointLimits, wantedKinds } from '../../core/events.ts'
import { mayAs } from '../../core/role.ts'
import type { Session } from '../../store/access.ts'
import { EndpointChange, EndpointInput, LogQuery, ResumeInput, SecretInput } from '../events/schemas.ts'
import { closed, nullable } from '../schemas.ts'
import { erased, leadsById } from './leads-by-id.ts'
import { type Asked, forOwner, forViewer } from './route.ts'

const tries = 50

export const webhookRoutes = {
  ...forViewer('GET /webhooks', {
    readsMuch: true,
    async run(asked) {
      const { endpoints, store } = asked.parts
      const { account, user } = asked.session
      const all = await ofAccount(asked).list()
      // As many as an endpoint takes: the panel asks for all of this every few seconds.
      const most = endpointLimits.campaigns
      const found = await store.configuration.listNewestCampaigns(account.id, most + 1)
      const newest = found.slice(-most)
      const older = new Set(all.flatMap(({ campaignIds }) => campaignIds ?? []))
      for (const { id } of newest) older.delete(id)
      const offered = [...(await store.configuration.listCampaignsById(account.id, [...older])), ...newest]
      return {
        isOn: endpoints.isOn,
        kinds: wantedKinds,
        limits: endpointLimits,
        hasOlder: found.length > most,
        campaigns: offered.map(({ id, name, isDraft }) => ({ id, name, isDraft })),
        endpoints: mayAs('owner', user.role) ? all : all.map((one) => ({ ...one, url: hostAlone(one.url) })),
      }
    },
  }),
  ...forOwner('POST /webhooks', {
    body: EndpointInput,
    run: async (asked) => shown(await ofAccount(asked).create(asked.body)),
  }),
  ...forOwner('PATCH /webhooks/:endpointId', {
    body: EndpointChange,
    run: (asked) => ofAccount(asked).change(asked.params.endpointId, asked.body),
  }),
  ...forOwner('DELETE /webhooks/:endpointId', {
    async run(asked) {
      await ofAccount(asked).remove(asked.params.endpointId)
      return {}
    },
  }),
  ...forOwner('POST /webhooks/:endpointId/secret', {
    body: SecretInput,
    run: async (asked) => shown(await ofAccount(asked).rotate(asked.params.endpointId, asked.body.graceHours)),
  }),
  ...forOwner('POST /webhooks/:endpointId/test', {
    async run(asked) {
      asked.parts.limits.countTest(asked.session.account.id, asked.now)
      return ofAccount(asked).test(asked.params.endpointId)
    },
  }),
  ...forOwner('POST /webhooks/:endpointId/pause', {
    run: (asked) => ofAccount(asked).pause(asked.params.endpointId),
  }),
  ...forOwner('POST /webhooks/:endpointId/resume', {
    body: ResumeInput,
    run: (asked) => ofAccount(asked).resume(asked.params.endpointId, asked.body.from),
  }),
  ...forOwner('POST /webhooks/:endpointId/backfill/:campaignId', {
    run: (asked) => ofAccount(asked).backfill(asked.params.endpointId, asked.campaign.id),
  }),
  ...forViewer('GET /webhooks/:endpointId/deliveries', {
    readsMuch: true,
    query: LogQuery,
    async run(asked) {
      // As many people as a viewer gets at a time elsewhere.
      const limit = Math.min(Number(asked.query.limit ?? tries), tries)
      const { entries, next } = await ofAccount(asked).log(asked.params.endpointId, { ...asked.query, limit })
      const ids = entries.map(({ leadId }) => leadId)
      const leads = await leadsById(asked.parts, asked.session.account.id, ids)
      return {
        entries: entries.map(({ accountId, endpointId, detail, leadId, ...entry }) => ({
          ...entry,
          /** Null of an event that is of no lead. */
          lead: leadId > 0 ? (leads.get(leadId) ?? erased) : null,
        })),
        next,
      }
    },
  }),
  ...forOwner('POST /webhooks/:endpointId/resend', {
    /** Null: all that was given up. */
    body: Type.Object({ eventId: nullable(Type.String({ maxLength: 40 })) }, closed),
    async run(asked) {
      const { endpointId } = asked.params
      const { eventId } = asked.body
      if (eventId === null) return { resent: await ofAccount(asked).resendFailed(endpointId, 0) }
      await ofAccount(asked).resend(endpointId, eventId)
      return { resent: 1 }
    },
  }),
}

type Asking = Pick<Asked<string, unknown, unknown, Session>, 'parts' | 'session' | 'by'>

/** The account's own endpoints; each call throws EndpointRefused. */
const ofAccount = ({ parts, session, by }: Asking) => parts.endpoints.of(session.account.id, by)

/** What stands behind it may be as good as a password of the receiver's. */
const hostAlone = (url: string) => `${new URL(url).origin}/…`

/** The one answer with a secret. */
const shown = ({ id, name, secret }: { id: number; name: string; secret: string }) => ({ id, name, secret })
