// The audit log, for owners: what there is to choose from, and one page of entries.
import Type from 'typebox'
import type { AuditEntry } from '../../store/audit.ts'
import { closed } from '../schemas.ts'
import { erased, leadsById } from './leads-by-id.ts'
import { forOwner } from './route.ts'
import { Id } from './schemas.ts'

const Seconds = Type.String({ pattern: '^[0-9]{1,12}$' })

const ListQuery = Type.Object(
  {
    /** Entries from the first time on and before the second. */
    from: Type.Optional(Seconds),
    to: Type.Optional(Seconds),
    /** Id of any entry by the wanted actor: their name may be an email, which must not stand in a URL. */
    like: Type.Optional(Id),
    action: Type.Optional(Type.String({ pattern: '^[a-z]+\\.[a-z_]{1,40}$' })),
    /** Only older entries: `next` of the previous page. */
    before: Type.Optional(Id),
    limit: Type.Enum(['50', '1000']),
  },
  closed,
)

const leadIdOf = ({ subject }: AuditEntry) => (subject.kind === 'lead' ? Number(subject.id) : undefined)
const number = (text: string | undefined) => (text === undefined ? undefined : Number(text))

export const auditRoutes = {
  ...forOwner('GET /audit/choices', {
    readsMuch: true,
    query: Type.Object({ like: Type.Optional(Id) }, closed),
    async run({ session, parts: { store, auditDays }, query }) {
      const { id } = session.account
      const actors = await store.audit.listActors(id, number(query.like))
      return { days: auditDays, actors, actions: await store.audit.listActions(id) }
    },
  }),
  /**
   * Newest first; fewer than `limit` if their settings are large. `next` is where the next page begins, null if nothing
   * is left.
   */
  ...forOwner('GET /audit', {
    readsMuch: true,
    query: ListQuery,
    async run({ session, parts, query }) {
      const filter = {
        from: number(query.from),
        to: number(query.to),
        likeId: number(query.like),
        action: query.action,
      }
      const before = number(query.before) ?? Number.MAX_SAFE_INTEGER
      const limit = Number(query.limit)
      const page = await parts.store.audit.listEntries(session.account.id, filter, before, limit)
      const ids = page.entries.map((entry) => leadIdOf(entry) ?? 0)
      const leads = await leadsById(parts, session.account.id, ids)
      const entries = page.entries.map((entry) => {
        const leadId = leadIdOf(entry)
        /** Null unless it was done to a single lead. */
        return { ...entry, lead: leadId === undefined ? null : (leads.get(leadId) ?? erased) }
      })
      return { entries, next: page.next === null ? null : String(page.next) }
    },
  }),
}
