// One round of an endpoint: takes what is due, sends it, and stores the outcome.
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Seconds, secondsOf } from '../core/instant.ts'
import type { DeliveryEntry } from '../history/deliveries.ts'
import { serverAt } from '../store/audit.ts'
import { StoreUnavailable } from '../store/errors.ts'
import { failuresToStop } from '../store/events/changes.ts'
import type { Endpoint, Health } from '../store/events/endpoint.ts'
import { type Due, type Failed, keptSeconds, longestRestSeconds } from '../store/events/queue.ts'
import type { Store } from '../store/store.ts'
import { type Event, type Planned, type PlanParts, plan } from './plan.ts'
import type { Sender, Try } from './sender.ts'
import type { Slots } from './slots.ts'

export type RoundParts = PlanParts & {
  store: Store
  sender: Sender
  slots: Slots
  /** How many rounds store their outcome at a time. */
  storing: Slots
  /** Wall clock, milliseconds. */
  now(): number
  /** Notes a try in the log and in the metrics. */
  onTry(entry: DeliveryEntry): void
  /** Called with how many looks were too late. */
  onDropped(count: number): void
  /** True if no further request may begin: the node stops, or may no longer serve the endpoint. */
  isStopping(): boolean
}

const mostAtOnce = 200
/**
 * But for the first request of a round, nothing that was read longer ago is sent, so a pause, a new secret or an erasure
 * takes effect within a second.
 */
const roundMs = 500
const mostBatchBytes = 512_000
/** Bytes of a batch without its events. */
const batchBytes = 100
const stopSeconds = [5, 30, 120, 300, 900, longestRestSeconds]
const retrySeconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
/** An endpoint whose server has accepted nothing for so long is paused. */
const failingSeconds = 5 * 86_400
/** How long to wait if the server asked for it: by default, and at most. */
const usualWaitSeconds = 60
const longestWaitSeconds = 3_600

/** The events of one request: one, or several that are due together. */
type Batch = Event[]
type Round = {
  endpoint: Endpoint
  secrets: string[]
  health: Health
  /** Monotonic, milliseconds: when endpoint and leads were read. */
  readAt: number
  /** Why nothing more is sent in this round. */
  halt: 'gone' | 'waiting' | undefined
  /** Accepted, or among the failed. The rest of what was sent waits where it was. */
  settled: Set<Event>
  failed: Failed[]
}

/**
 * `room` is how many events it takes at most; `isMore` says that more was due, `isCut` that there was no time for all
 * of them. The first request has its slot already: `giveBack` returns it.
 */
export async function runRound(parts: RoundParts, endpoint: Endpoint, room: number, giveBack: () => void) {
  const { store } = parts
  const startedAt = secondsNow(parts)
  const readAt = performance.now()
  const limit = Math.min(mostAtOnce, room)
  const due = await store.events.due(endpoint, startedAt, limit)
  const round: Round = {
    endpoint,
    secrets: store.events.secretsOf(endpoint, startedAt),
    health: healthOf(endpoint),
    readAt,
    halt: undefined,
    settled: new Set(),
    failed: [],
  }
  const planned = await plan(parts, endpoint, due, startedAt)
  // One notice may come to several events, of which some go with the next round.
  const events = planned.flatMap((one) => one.events).slice(0, room)
  const all = groupsOf(events, endpoint.settings.batch)
  const groups = endpoint.failures >= failuresToStop ? oneOf(all) : all
  const isCut = await sendAll(parts, round, groups, giveBack)
  await settle(parts, round, planned)
  return { sent: round.settled.size, isMore: isCut || due.length === limit, isCut }
}

const healthOf = ({ failingSince, failures, nextTryAt }: Endpoint): Health => ({ failingSince, failures, nextTryAt })

/** A wait that the server has asked for goes on: while there is one, `failures` is below `failuresToStop`. */
export const afterOutage = ({ failures, nextTryAt }: Health): Health => ({
  failingSince: null,
  failures: 0,
  nextTryAt: failures >= failuresToStop ? null : nextTryAt,
})

/** A random one: the first may be the very one that the server cannot accept. */
function oneOf(groups: Batch[][]): Batch[][] {
  const group = groups[Math.floor(Math.random() * groups.length)] ?? []
  return [group.slice(0, 1).map((batch) => batch.slice(0, 1))]
}

/** Groups that may be sent at the same time; the requests of one group follow each other. */
function groupsOf(events: readonly Event[], most: number): Batch[][] {
  if (most === 1) {
    // Events of one lead are sent one after the other.
    const ofLeads = Map.groupBy(events, ({ due }) => due.leadId)
    return [...ofLeads.values()].map((some) => some.map((event) => [event]))
  }
  // An event that failed before is sent alone.
  const again = events.filter(({ due }) => due.queue === 'failed_deliveries')
  const first = events.filter(({ due }) => due.queue === 'notices')
  const alike = Map.groupBy(first, ({ body, campaignId }) => `${body.type} ${campaignId}`)
  const batches = [...alike.values()].flatMap((some) => batchesOf(some, most))
  return [...again.map((event) => [event]), ...batches].map((batch) => [batch])
}

/** Batches of at most so many events, none of them too large. */
function batchesOf(events: readonly Event[], most: number): Batch[] {
  const batches: Batch[] = []
  let room = 0
  for (const event of events) {
    const bytes = bytesOf(event)
    const open = batches.at(-1)
    if (open === undefined || open.length === most || bytes > room) {
      batches.push([event])
      room = mostBatchBytes - batchBytes - bytes
    } else {
      open.push(event)
      room -= bytes
    }
  }
  return batches
}

/** Its bytes in a batch, with the comma. */
const bytesOf = ({ id, body }: Event) => Buffer.byteLength(JSON.stringify({ id, ...body })) + 1

/** True if something is left for the next round, which reads everything again. */
async function sendAll(
  parts: RoundParts,
  round: Round,
  groups: Batch[][],
  giveFirstBack: () => void,
): Promise<boolean> {
  const { inFlight } = round.endpoint.settings
  const next = groups.values()
  let isCut = false
  const sendGroups = async (own?: () => void) => {
    let first = own
    for (const group of next) {
      for (const batch of group) {
        const giveBack = first ?? (await parts.slots(round.endpoint))
        try {
          if (round.halt !== undefined || parts.isStopping()) return
          // The first is sent however long reading took, or with a slow database nothing would ever be sent.
          isCut ||= first === undefined && performance.now() - round.readAt > roundMs
          if (isCut) return
          first = undefined
          await tell(parts, round, batch)
        } finally {
          giveBack()
        }
      }
    }
  }
  const others = Math.min(inFlight, groups.length) - 1
  await Promise.all([sendGroups(giveFirstBack), ...Array.from({ length: Math.max(others, 0) }, () => sendGroups())])
  return isCut
}

async function tell(parts: RoundParts, round: Round, events: Batch): Promise<void> {
  const { endpoint, secrets } = round
  const { url } = endpoint.settings
  const { id, body } = messageOf(parts, endpoint, events)
  const at = secondsNow(parts)
  const atMs = parts.now()
  const result = await parts.sender.send({ id, url, body: JSON.stringify(body), at, secrets })
  // A node that stops gives up its thread: nobody knows whether the request arrived.
  if (parts.isStopping() && result.status === null) return
  for (const event of events) parts.onTry(entryOf(endpoint, event, result, atMs))
  // Retry-After counts from the answer: in whole seconds, rounded up.
  judge(round, events, result, Math.ceil(parts.now() / 1_000))
}

/** The event itself, or several as a batch. */
function messageOf({ store }: RoundParts, { accountId }: Endpoint, events: Batch): { id: string; body: object } {
  const [first] = events as [Event]
  if (events.length === 1) return first
  const ids = events.map(({ id }) => id).join()
  const told = events.map(({ id, body }) => ({ id, ...body }))
  return {
    id: store.events.eventId(accountId, events.length, ids, first.due.dueAt, 0),
    body: { type: 'batch', timestamp: first.body.timestamp, data: { events: told } },
  }
}

export function entryOf(
  { accountId, id: endpointId }: Endpoint,
  { id: eventId, body, due }: Pick<Event, 'id' | 'body'> & { due: Pick<Due, 'leadId' | 'detail' | 'tries'> },
  { status, cause, milliseconds }: Try,
  atMs: number,
): DeliveryEntry {
  const { leadId, detail, tries } = due
  const dueAt = secondsOf(Date.parse(body.timestamp))
  const of = { accountId, endpointId, atMs, eventId, kind: body.type, leadId, dueAt, detail }
  return { ...of, status, cause, milliseconds, tryNumber: tries + 1 }
}

type Outcome = 'taken' | 'gone' | 'asked to wait' | 'refused' | 'not answered'

function outcomeOf({ status, cause }: Try): Outcome {
  if (cause === null) return 'taken'
  if (status === 410) return 'gone'
  if (status === 429 || status === 503) return 'asked to wait'
  // An address that is not allowed is the customer's mistake, not a failure of the server.
  const isServers = status === null ? cause !== 'blocked' : status >= 500
  return isServers ? 'not answered' : 'refused'
}

/** What an answer means for the events, for the endpoint's health and for the rest of the round. */
function judge(round: Round, events: readonly Event[], result: Try, now: Seconds): void {
  const { health } = round
  const outcome = outcomeOf(result)
  if (outcome !== 'taken') health.failingSince ??= now
  switch (outcome) {
    case 'taken':
      health.failingSince = null
      health.failures = 0
      // A request that was in flight when the server asked for time does not end the wait.
      if (round.halt === undefined) health.nextTryAt = null
      for (const event of events) round.settled.add(event)
      return
    case 'gone':
      round.halt = 'gone'
      return
    case 'asked to wait': {
      // Another request in flight may have got 410.
      round.halt ??= 'waiting'
      const until = now + Math.min(result.retryAfterSeconds ?? usualWaitSeconds, longestWaitSeconds)
      health.nextTryAt = Math.max(health.nextTryAt ?? 0, until)
      // The wait is the server's from here on, and not ours.
      health.failures = Math.min(health.failures, failuresToStop - 1)
      return
    }
    default:
      for (const event of events) {
        round.settled.add(event)
        round.failed.push(failedOf(event.due, events.length > 1, outcome === 'not answered', now))
      }
      // Failures of requests in flight when the pause began do not count again.
      if (round.halt === undefined) countFailure(round, events, outcome, now)
  }
}

/** After so many failures in a row the endpoint pauses, longer each time. */
function countFailure(round: Round, events: readonly Event[], outcome: Outcome, now: Seconds): void {
  const { health } = round
  const isResting = health.failures >= failuresToStop
  // A repeat may fail because of its content.
  if (!isResting && events.some(({ due }) => due.tries > 0)) return
  if (outcome === 'not answered') health.failures += 1
  if (health.failures < failuresToStop) return
  round.halt = 'waiting'
  health.nextTryAt = now + waitAfter(stopSeconds, health.failures - failuresToStop)
}

/**
 * An event of a failed batch is sent again alone, at once; otherwise after longer and longer pauses. What the server
 * refuses is given up in the end; what gets no answer, once it is so old that nobody waits for it.
 */
function failedOf(due: Due, withOthers: boolean, isServers: boolean, now: Seconds): Failed {
  if (withOthers) return alone(due, now)
  const { tries, refused } = due
  const failed = { ...due, tries: tries + 1, lastAt: now }
  if (isServers) {
    // Its age is that of its tries, one each half hour: it may have been due long before the first.
    const isOld = tries * longestRestSeconds > keptSeconds
    return { ...failed, nextAt: isOld ? null : now + waitAfter(stopSeconds, tries - refused) }
  }
  const seconds = retrySeconds[refused]
  const nextAt = seconds === undefined ? null : now + Math.round(seconds * (0.8 + Math.random() * 0.4))
  return { ...failed, refused: refused + 1, nextAt }
}

/** Due again at once and alone, with its tries counted from zero. */
const alone = (due: Due, now: Seconds): Failed => ({ ...due, tries: 0, nextAt: now, lastAt: now })

/**
 * For what a draft holds: looked at again after a tenth of its age, soon if the draft was made lately, seldom if it
 * stays one. Without tries it does not count as waiting for its server.
 */
function later(due: Due, now: Seconds): Failed {
  const wait = Math.min(Math.max(Math.round((now - due.dueAt) / 10), 60), 3_600)
  return { ...due, tries: 0, refused: 0, nextAt: now + wait, lastAt: due.lastAt ?? due.dueAt }
}

const waitAfter = (seconds: readonly Seconds[], count: number) => seconds[count] ?? (seconds.at(-1) as Seconds)

async function settle(parts: RoundParts, round: Round, planned: readonly Planned[]): Promise<void> {
  const { endpoint, settled, failed } = round
  const { events } = parts.store
  const now = secondsNow(parts)
  const begun = planned.filter((one) => one.events.length === 0 || one.events.some((event) => settled.has(event)))
  // The events left of a notice of which some were sent wait on their own.
  const left = begun.flatMap((one) => one.events.filter((event) => !settled.has(event)))
  const held = planned.filter(({ isHeld }) => isHeld)
  await untilStored(parts, endpoint, () =>
    events.settle(endpoint, {
      done: begun.map(({ due }) => due),
      failed: [...failed, ...left.map(({ due }) => alone(due, now)), ...held.map(({ due }) => later(due, now))],
      looks: begun.flatMap(({ look }) => look ?? []),
    }),
  )
  const skipped = begun.filter(({ isSkipped }) => isSkipped).length
  if (skipped > 0) parts.onDropped(skipped)
  const giveBack = await parts.storing(endpoint)
  await settleHealth(parts, round, now).finally(giveBack)
}

async function settleHealth({ store: { events } }: RoundParts, round: Round, now: Seconds): Promise<void> {
  const { endpoint, health, failed } = round
  // If nothing is left to try, the outage is over: a failure weeks later is a new one.
  const isTroubled = health.failingSince !== null && (await events.waiting(endpoint, now)).waiting > 0
  if (!isTroubled) Object.assign(health, afterOutage(health))
  if (!isDeepStrictEqual(health, healthOf(endpoint))) await events.setHealth(endpoint, health, now)
  const hasFailed = failed.length > 0 || round.halt !== undefined
  const isFailing = hasFailed && health.failingSince !== null && now - health.failingSince > failingSeconds
  const cause = round.halt === 'gone' ? 'gone' : isFailing ? 'failing' : undefined
  if (cause !== undefined)
    await events.pauseFailing({ ...endpoint, failingSince: health.failingSince }, cause, serverAt(now))
}

/** A delivery is stored however long the database takes, or it would be sent again. */
async function untilStored(parts: RoundParts, of: Endpoint, store: () => Promise<void>): Promise<void> {
  for (;;) {
    const giveBack = await parts.storing(of)
    try {
      return await store()
    } catch (error) {
      if (parts.isStopping() || !(error instanceof StoreUnavailable)) throw error
    } finally {
      // Others have a turn before the next try.
      giveBack()
    }
    await sleep(500)
  }
}

/** The wall clock, in whole seconds. */
export const secondsNow = ({ now }: Pick<RoundParts, 'now'>): Seconds => secondsOf(now())
