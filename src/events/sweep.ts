// Goes through the leads of a campaign for one endpoint, some at a time: writes their next look, and notices of what an
// edit changed or a backfill asks for.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { changeDetail, endOf, type Notice, type Watcher, watcherOf } from '../core/events.ts'
import type { Seconds } from '../core/instant.ts'
import { offerAt } from '../core/mechanism/attempt.ts'
import { type Terms, termsOf } from '../core/mechanism/terms.ts'
import { nextMoment } from '../core/moments.ts'
import type { Before, Sweep } from '../store/events/sweeps.ts'
import type { Campaign, Lead } from '../store/model.ts'
import type { Store } from '../store/store.ts'

const leadsAtOnce = 500
/** Where a campaign has cycles, 500 leads would keep everybody waiting for a tenth of a second. */
const leadsInTurn = 50

/** What a lead may have been told: the rules by which the campaign decided before an edit. */
type Known = Pick<Before, 'until' | 'isHeld'> & { terms: Terms }

/** One stretch: it writes a few notices for each of its leads at most. */
export async function sweepOn(store: Pick<Store, 'configuration' | 'leads' | 'events'>, sweep: Sweep, now: Seconds) {
  const { endpoint, campaignId, afterEmail, begunAt, pauses } = sweep
  const campaign = await store.configuration.findCampaign(campaignId)
  const watcher = campaign && watcherOf(endpoint.id, endpoint.settings, campaignId)
  if (campaign === undefined || watcher === undefined) return store.events.writeStretch(sweep, [], null)
  const before = sweep.schedulesBefore.map((one): Known => ({ ...one, terms: termsOf(one) }))
  const isToRead = needsLeads(sweep, watcher)
  const leads = isToRead ? await store.leads.list(campaign, { prefix: '', afterEmail, limit: leadsAtOnce }) : []
  const notices: Notice[] = []
  for (const [n, lead] of leads.entries()) {
    if (n % leadsInTurn === 0) await nextTurn()
    const pause = pauses.find(({ from, until }) => from <= lead.registeredAt && lead.registeredAt < until)
    // Moments since the start of the sweep are sent too, however long it takes to reach this lead. Of a lead who came in
    // a pause, only those from the pause's last second on: for that one they have no look. If a visitor began the
    // attempt, none from before the email was given.
    const from = Math.max(pause ? pause.until - 1 : begunAt, lead.registeredAt)
    const lookAt = nextMoment(campaign.terms, lead.attempt, from, watcher.wanted)
    const told = toldBy(sweep, before, campaign, lead, now)
    const notice = { endpointId: endpoint.id, leadId: lead.id, detail: 0 }
    if (lookAt !== null) notices.push({ ...notice, dueAt: lookAt, kind: 'look' })
    if (told !== undefined) notices.push({ ...notice, ...told })
  }
  const endAt = endOf(campaign.terms)
  const isFirst = afterEmail === '' && sweep.cause !== 'backfill'
  if (isFirst && endAt !== null && endAt > begunAt && watcher.kinds.includes('campaign.ended')) {
    notices.push({ endpointId: endpoint.id, leadId: -campaignId, kind: 'look', detail: 0, dueAt: endAt })
  }
  const next = leads.length < leadsAtOnce ? null : (leads.at(-1)?.email ?? null)
  await store.events.writeStretch(sweep, notices, next)
}

/** Of an endpoint that hears of registrations alone, no lead has a next look. */
function needsLeads({ cause }: Sweep, { kinds, wanted: { opened, expired, leadSeconds } }: Watcher): boolean {
  const isChange = cause === 'edit' && kinds.includes('lead.deadline_changed')
  return opened || expired || leadSeconds.length > 0 || isChange || cause === 'backfill'
}

function toldBy(
  { cause, endpoint, begunAt }: Sweep,
  before: readonly Known[],
  { terms }: Campaign,
  { attempt, registeredAt }: Lead,
  now: Seconds,
): Pick<Notice, 'kind' | 'detail' | 'dueAt'> | undefined {
  if (cause === 'backfill') return { kind: 'registered before', detail: 0, dueAt: now }
  if (!endpoint.settings.kinds.includes('lead.deadline_changed')) return undefined
  const next = offerAt(terms, attempt, now)
  // A lead who registered after an edit never had the date from before it. What was edited before the point from which
  // the endpoint goes on is not told; an edit of a draft counts from its publishing.
  const editedAt = ({ until, isHeld }: Known) => (isHeld === true ? Math.max(until, begunAt) : until)
  const known = before.filter((one) => registeredAt <= one.until && editedAt(one) >= endpoint.fromAt)
  const changed = known.findLast((one) => {
    const old = offerAt(one.terms, attempt, now)
    return old.deadline !== next.deadline && (old.state !== 'expired' || next.state !== 'expired')
  })
  if (changed === undefined) return undefined
  // Not `now`, so that a sweep that begins again makes the same id.
  const dueAt = editedAt(changed)
  return { kind: 'lead.deadline_changed', detail: changeDetail('settings', Math.abs(next.deadline ?? 0)), dueAt }
}
