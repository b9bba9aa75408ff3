// The panel's search for leads. A request reads one step of them and says where the next one goes on: states are not
// stored, so many leads may have to be read to find one.
import Type, { type Static } from 'typebox'
import { emailMaxLength } from '../../core/email.ts'
import type { Seconds } from '../../core/instant.ts'
import { offerStates } from '../../core/mechanism/attempt.ts'
import { type ExportLine, exportLine } from '../../leads/export.ts'
import { leadByRef, view } from '../../leads/leads.ts'
import { deadlinePosition } from '../../store/lead-lists.ts'
import type { Campaign, DeadlinePosition, Lead } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import { closed, nullable } from '../schemas.ts'
import { Ref } from './schemas.ts'

const pageMaxSize = 1_000
/** Leads that one request reads at most. */
const stepSize = 1_000

export const Refs = Type.Array(Ref, { maxItems: 500 })
const State = Type.Enum([...offerStates])

const Whole = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })
const Position = Type.Object({ at: Whole, opensAt: Whole, id: Whole }, closed)
export const SearchBody = Type.Object(
  {
    prefix: Type.String({ maxLength: emailMaxLength, pattern: '^[^\\x00-\\x1f]*$' }),
    state: nullable(State),
    afterEmail: Type.String({ maxLength: emailMaxLength, pattern: '^[ -~]*$' }),
    limit: Type.Integer({ minimum: 1, maximum: pageMaxSize }),
    part: Type.Optional(Type.String({ maxLength: emailMaxLength, pattern: '^[^\\x00-\\x1f]*$' })),
    sort: Type.Optional(Type.Enum(['email', 'deadline', '-deadline'])),
    afterDeadline: Type.Optional(nullable(Position)),
    refs: Type.Optional(Refs),
  },
  closed,
)
type SearchBody = Static<typeof SearchBody>

/** The leads found in one step, each with its columns of the export. */
export async function findLeads(store: Store, campaign: Campaign, body: SearchBody, now: Seconds) {
  const { state, limit } = body
  const step = await readStep(store, campaign, body)
  const lines = new Map(step.leads.map((lead) => [lead, exportLine(view(campaign, lead, now))]))
  const found = step.leads.filter((lead) => state === null || lines.get(lead)?.state === state)
  const shown = found.slice(0, limit)
  const last = found.length > limit ? (shown.at(-1) as Lead) : undefined
  return {
    leads: shown.map((lead) => lines.get(lead) as ExportLine),
    read: last === undefined ? step.read : step.leads.indexOf(last) + 1,
    ...(last === undefined ? step.next : positionOf(last, body.sort)),
  }
}

/** Where the next step goes on; if the email is null, nowhere. */
type Place = { afterEmail: string | null; afterDeadline: DeadlinePosition | null }
const nowhere: Place = { afterEmail: null, afterDeadline: null }

type Step = { leads: Lead[]; read: number; next: Place }

const positionOf = (lead: Lead, sort?: string): Place => ({
  afterEmail: lead.email,
  afterDeadline: sort === undefined || sort === 'email' ? null : deadlinePosition(lead),
})

/** As many leads as one request looks at. */
async function readStep(store: Store, campaign: Campaign, body: SearchBody): Promise<Step> {
  const { prefix, part = '', sort = 'email', state, afterEmail, limit, refs } = body
  if (refs !== undefined) {
    const leads = await leadsOf(store, campaign, refs)
    return { leads, read: leads.length, next: nowhere }
  }
  if (part !== '') {
    const { leads, read, afterEmail: next } = await store.leads.search(campaign, { part, afterEmail, limit: stepSize })
    return { leads, read, next: { afterEmail: next, afterDeadline: null } }
  }
  if (sort !== 'email') return byDeadline(store, campaign, body, sort)
  const asked = state === null ? limit : stepSize
  const leads = await store.leads.list(campaign, { prefix, afterEmail, limit: asked })
  const last = leads.at(-1)
  const isEnd = last === undefined || leads.length < asked
  return { leads, read: leads.length, next: isEnd ? nowhere : positionOf(last) }
}

/** Sorts before every email: those with a deadline are done, those without come next. */
const withoutDeadline = ' '

/** The deadline of all leads that have none of their own; null if they have none at all, or not yet. */
function sharedDeadline({ terms: { personal, deadlineAt, endsAt } }: Campaign): Seconds | null {
  const ends = personal === null ? [deadlineAt, endsAt].filter((at) => at !== null) : []
  return ends.length === 0 ? null : Math.min(...ends)
}

/**
 * Those with a deadline of their own, and in their midst, in the order of emails, those that share the campaign's; where
 * it has none, they come last.
 */
async function byDeadline(
  store: Store,
  campaign: Campaign,
  { prefix, state, afterEmail, afterDeadline: after = null, limit }: SearchBody,
  sort: string,
): Promise<Step> {
  const asked = state === null && prefix === '' ? limit : stepSize
  const isDescending = sort === '-deadline'
  const shared = sharedDeadline(campaign)
  const isBehind = (of: DeadlinePosition | null) =>
    of !== null && shared !== null && (isDescending ? of.at < shared : of.at > shared)
  const isWithout = after === null && afterEmail !== ''
  const isBefore = !isWithout && !isBehind(after)
  const found = isWithout
    ? await store.leads.listWithoutDeadline(campaign, { afterEmail, limit: asked })
    : await store.leads.listByDeadline(campaign, { after, isDescending, limit: asked })
  const leads = isBefore ? found.filter((lead) => !isBehind(deadlinePosition(lead))) : found
  const last = leads.at(-1)

  function next(): Place {
    if (last !== undefined && leads.length === asked) return positionOf(last, sort)
    if (isBefore) return { afterEmail: withoutDeadline, afterDeadline: null }
    return isWithout && shared !== null ? { afterEmail: '', afterDeadline: behind(shared, isDescending) } : nowhere
  }

  return { leads: leads.filter(({ email }) => email.startsWith(prefix)), read: leads.length, next: next() }
}

/** In front of all deadlines that come after this one in the order. */
function behind(at: Seconds, isDescending: boolean): DeadlinePosition {
  const side = isDescending ? -1 : 1
  const edge = -side * Number.MAX_SAFE_INTEGER
  return { at: at + side, opensAt: edge, id: edge }
}

/** Leads of this campaign, in the order of their emails; refs of others are left out. */
export async function leadsOf(store: Store, campaign: Campaign, refs: readonly string[]): Promise<Lead[]> {
  const found = await Promise.all([...new Set(refs)].map((ref) => leadByRef(store, campaign, ref)))
  return found.filter((lead) => lead !== undefined).sort((a, b) => (a.email < b.email ? -1 : 1))
}
