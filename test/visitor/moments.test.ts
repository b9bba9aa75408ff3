// At every moment the API, the gate, the widget and the image say the same of an offer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import omggif from 'omggif'
import type { Shop } from '../support/api.ts'
import { secondsShown } from '../support/countdown.ts'
import { amount, between, chance, isFull, printSeed } from '../support/faults.ts'
import { appliedCampaign, campaignFile, installation, owner } from '../support/lastcall.ts'
import { panelSession } from '../support/panel-session.ts'
import { ask, lookUp, open, type Recipient, recipient } from '../support/recipient.ts'
import { serverClock } from '../support/server-clock.ts'
import { engine } from '../support/test-database.ts'
import { dateText, daySeconds, nextChangeOfOffset, readingAt } from '../support/wall-clock.ts'

const moments = engine === 'sqlite' ? amount(15, 100_000) : amount(15, 20_000)
const timeZone = 'Europe/Warsaw'
const change = nextChangeOfOffset(timeZone, Math.floor(Date.now() / 1_000)) as number
/** Leads come in these days, and are asked about until later. */
const [firstAt, lastAt, untilAt] = [change - 12 * daySeconds, change + 8 * daySeconds, change + 30 * daySeconds]

const style = { width: 200, height: 50, pixelsPerPoint: 1 } as const
const weekly = (on: string, time: string) => ({ every: 'week', on: [on], time })
const local = (instant: number) => `${dateText(readingAt(timeZone, instant))}T12:00`
const mechanisms = [
  { startsOn: 'registration', deadline: { kind: 'after', period: 'PT5H30M' }, reset: { enabled: true } },
  { startsOn: 'registration', deadline: { kind: 'daysAt', days: 2, time: '02:30', skipWeekdays: ['sat'] } },
  {
    startsOn: 'registration',
    deadline: { kind: 'daysAt', days: 1, time: '23:59' },
    cycle: { enabled: true, pause: 'P2D' },
  },
  {
    startsOn: 'registration',
    deadline: { kind: 'next', opens: weekly('sun', '02:30'), closes: weekly('mon', '00:00') },
    cycle: { enabled: true, pause: 'PT1H', max: 2 },
  },
  { startsOn: 'registration', deadline: { kind: 'fixed', opensAt: local(change - 5 * daySeconds), at: local(change) } },
  { startsOn: 'visit', deadline: { kind: 'after', period: 'P3D' }, endsAt: local(change + 9 * daySeconds) },
  { startsOn: 'registration', deadline: { kind: 'none' } },
]

/** Some 25 leads in the short form, of every mechanism three or four. */
const pauseDays: [least: number, most: number] = isFull ? [0.2, 0.6] : [0.6, 1]

type Asked = { campaignId: number; who: Recipient; since: number; edges: Set<number> }

test(`${moments} moments: API, gate, widget and image say the same, to the second`, async (t) => {
  printSeed(t)
  const place = installation(t)
  const { env, standAt } = serverClock(place)
  standAt(firstAt)
  const me = await owner(place)
  const server = await place.serve(['--rate-limit', '1000000'], env)
  const shop: Shop = { place, owner: me, server } as Shop
  const panel = await panelSession(place, server, me.accountId)
  const leads: Asked[] = []
  const campaignIds: number[] = []
  for (const [index, mechanism] of mechanisms.entries()) {
    const settings = { name: `Campaign ${index}`, isDraft: false, timeZone, mechanism, mailTimer: style }
    const { id } = await place.arrange((store) => appliedCampaign(store, me.accountId, campaignFile(settings)))
    campaignIds.push(id)
  }
  for (let at = firstAt; at < lastAt; at += between(...pauseDays) * daySeconds) {
    standAt(at)
    const campaignId = campaignIds[leads.length % campaignIds.length] as number
    const who = await recipient(shop, { campaignId })
    if (leads.length % 2 === 0) await ask(shop, 'offer', { lc: who.ref, visit: true }, { campaignId })
    if (leads.length % 5 === 4) {
      const byHand = { refs: [who.ref], to: local(at + between(1, 9) * daySeconds) }
      assert.equal((await panel('PUT', `/campaigns/${campaignId}/leads/deadlines`, byHand)).status, 200)
    }
    const { deadline } = await lookUp(shop, who.email, campaignId)
    leads.push({
      campaignId,
      who,
      since: at,
      edges: new Set([deadline === null ? change : Date.parse(deadline) / 1_000]),
    })
  }
  const seen: Record<string, number> = {}
  for (let moment = 0; moment < moments; moment += 1) {
    // Each lead once, and then by chance.
    const lead = leads[moment < leads.length ? moment : Math.floor(chance() * leads.length)] as Asked
    const edges = [...lead.edges]
    const edge = edges[Math.floor(chance() * edges.length)] as number
    // Whoever rounds to the nearest second is wrong in half of the last one.
    const near = edge + Math.round(between(-1_000, 1_000)) / 1_000
    const now = Math.max(lead.since, chance() < 0.8 ? near : between(lead.since, untilAt))
    standAt(now)
    const state = await assertOneAnswer(shop, lead, Math.floor(now * 1_000))
    seen[state] = (seen[state] ?? 0) + 1
  }
  t.diagnostic(JSON.stringify(seen))
  for (const state of ['pending', 'open', 'expired']) assert.ok((seen[state] ?? 0) > 0, state)
})

/** Remembers the edges that it hears of. */
async function assertOneAnswer(shop: Shop, { campaignId, who, edges }: Asked, nowMs: number): Promise<string> {
  const now = Math.floor(nowMs / 1_000)
  const [known, gate, widget, image] = await Promise.all([
    lookUp(shop, who.email, campaignId),
    open(shop, `/visitor/v1/campaigns/${campaignId}/gate`, { headers: { 'Lastcall-Ref': who.ref } }),
    ask(shop, 'offer', { lc: who.ref, visit: false }, { campaignId }),
    open(shop, who.image),
  ])
  assert.equal(known.code, undefined, JSON.stringify(known))
  assert.equal(widget.status, 200, JSON.stringify(widget.body))
  const told = `${who.email} of campaign ${campaignId} at ${nowMs}`
  const { state, opensAt, deadline, nextAt } = widget.body
  const inSeconds = (text: unknown) => (typeof text === 'string' ? Date.parse(text) / 1_000 : null)
  const ms = (seconds: number | null) => seconds && seconds * 1_000
  assert.equal(ms(inSeconds(known.deadline)), deadline, `API: ${told}`)
  assert.equal(gate.headers['lastcall-state'], state, `gate: ${told}`)
  assert.equal(gate.status, state === 'open' || state === 'pending' ? 204 : 403, told)
  assert.equal(ms(inSeconds(gate.headers['lastcall-deadline'])), deadline, `gate: ${told}`)
  assert.equal(ms(inSeconds(gate.headers['lastcall-next-at'])), nextAt, `gate: ${told}`)
  const left = deadline === null ? undefined : Math.max(0, deadline / 1_000 - now)
  assert.equal(gate.headers['lastcall-seconds-left'], left === undefined ? undefined : String(left), told)
  if (deadline !== null) {
    assert.equal(image.headers['x-timer-state'], state, `image: ${told}`)
    const shown = secondsShown(firstFrame(image.raw), left as number, { style, around: 0 })
    assert.equal(shown, left, `image: ${told}`)
  }
  for (const at of [opensAt, deadline, nextAt]) if (at !== null) edges.add(at / 1_000)
  return state
}

function firstFrame(gif: Uint8Array): Uint8Array {
  const reader = new omggif.GifReader(gif)
  const screen = new Uint8Array(reader.width * reader.height * 4)
  reader.decodeAndBlitFrameRGBA(0, screen)
  return screen
}
