// What a lane of events works with, at instants of our own choice: a real store, with a sender that answers as it is told
// to.
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openConfigCache } from '../../src/campaigns/config-cache.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import { checkEndpoint, type EndpointSettings, type TryCause, wantedKinds } from '../../src/core/events.ts'
import { buildEndpoints } from '../../src/events/endpoints.ts'
import { runRound } from '../../src/events/round.ts'
import type { Delivery, Sender, Try } from '../../src/events/sender.ts'
import { openSlots } from '../../src/events/slots.ts'
import { sweepOn } from '../../src/events/sweep.ts'
import type { DeliveryEntry } from '../../src/history/deliveries.ts'
import { buildLeads } from '../../src/leads/leads.ts'
import type { Endpoint } from '../../src/store/events/endpoint.ts'
import { openStore } from '../../src/store/open.ts'
import { tester, testerAt } from './actor.ts'
import { emptyDatabases } from './empty-databases.ts'
import { comesTrue } from './prepared.ts'
import { engine } from './test-database.ts'

const options = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false }
export const daySeconds = 86_400
export const beganAt = Math.floor(Date.parse('2026-03-02T10:00:00Z') / 1_000)
const after = { startsOn: 'registration', deadline: { kind: 'after', period: 'P90D' } }

/** Everything that a lane works with, on a database of its own; `clock.at` is what it takes for now. */
export async function opened(t: TestContext, mechanism: object = after) {
  const place = emptyDatabases[engine]
  assert.ok(place)
  const store = await openStore(await place(t), options)
  t.after(() => store.close())
  const { id: accountId } = await store.configuration.createAccount('Owner', tester)
  const checked = checkCampaign({ name: 'c', isDraft: false, timeZone: 'UTC', mechanism })
  assert.ok('campaign' in checked)
  const { campaign: settings } = checked
  const { id: campaignId } = await store.configuration.applyCampaign(accountId, settings, tester)
  const configCache = openConfigCache(store)
  const leads = buildLeads(store, configCache, () => {})
  const clock = { at: beganAt }
  const sent: (Delivery & { type: string })[] = []
  const answer = {
    ...{ status: 204 as number | null, after: null as number | null, milliseconds: 0 },
    cause: 'timeout' as TryCause,
  }
  const sender: Sender = {
    async send(delivery): Promise<Try> {
      sent.push({ ...delivery, type: JSON.parse(delivery.body).type })
      const { status, milliseconds } = answer
      if (milliseconds > 0) await sleep(milliseconds)
      const cause = status === null ? answer.cause : status < 300 ? null : 'status'
      return { status, cause, milliseconds: 1, retryAfterSeconds: answer.after }
    },
    close: async () => {},
  }
  const warned: string[] = []
  const dropped: number[] = []
  const noted: DeliveryEntry[] = []
  const parts = {
    ...{ store, configCache, sender, site: { publicUrl: 'https://offers.example' } },
    ...{ slots: openSlots(64), storing: openSlots(3) },
    ...{ now: () => clock.at * 1_000, isOn: true, onWaiting() {}, isStopping: () => false },
    onTry: (entry: DeliveryEntry) => void noted.push(entry),
    onDropped: (count: number) => void dropped.push(count),
    log: { info() {}, warn: (text: string) => void warned.push(text), error() {} },
  }
  const endpointParts = {
    deliveries: { page: async () => [] },
    egress: { ranges: [], names: [] },
    leaveTurns: async () => {},
  }
  const find = async (id: number) => (await store.events.findEndpoint(accountId, id)) as Endpoint
  return {
    ...{ store, clock, sent, answer, warned, dropped, noted, parts, find, accountId, campaignId, settings, leads },
    register: (email: string) => leads.register({ accountId, campaignId }, email, clock.at),
    endpoint(changes: Partial<EndpointSettings> = {}) {
      const given = { name: 'shop', url: 'https://example.com/', kinds: wantedKinds, leadTimes: ['PT1H'], ...changes }
      const valid = checkEndpoint(given, () => undefined)
      assert.ok('settings' in valid)
      return store.events.createEndpoint(accountId, valid.settings, testerAt(beganAt))
    },
    async save(changes: object): Promise<void> {
      const changed = checkCampaign({ ...settings, id: campaignId, ...changes })
      assert.ok('campaign' in changed)
      await store.configuration.applyCampaign(accountId, changed.campaign, testerAt(clock.at))
      const saved = await store.configuration.findCampaign(campaignId)
      assert.ok(saved)
      const cached = async () => (await configCache.campaign(campaignId))?.version ?? 0
      assert.ok(await comesTrue(5_000, async () => (await cached()) >= saved.version), 'the cache has it')
    },
    setDeadline: (email: string, at: number | null) =>
      leads.setDeadline({ accountId, campaignId }, email, at, testerAt(clock.at)),
    /** What the API and the panel do with endpoints. */
    managed: (on = store, isOn = true) =>
      buildEndpoints({ ...parts, ...endpointParts, store: on, isOn }).of(accountId, testerAt(clock.at)),
    /** As somebody does who does not want what waits. */
    async goOnFromNow(id: number) {
      await store.events.pauseEndpoint(await find(id), 'user', testerAt(clock.at))
      await store.events.resumeEndpoint(await find(id), clock.at, testerAt(clock.at))
    },
    /** What has been told, since this was called last. */
    told: () =>
      sent.splice(0).map(({ body }) => {
        const { type, timestamp, data } = JSON.parse(body)
        return `${type} ${data.email?.split('@')[0] ?? '-'} ${(Date.parse(timestamp) / 1_000 - beganAt) / 60}`
      }),
    /** As the dispatcher does, once the endpoint may be tried. */
    async round(id: number) {
      const endpoint = await find(id)
      clock.at = Math.max(clock.at, endpoint.nextTryAt ?? 0)
      await runRound(parts, endpoint, 1_000, () => {})
    },
    async sweep() {
      await store.events.lease('node')
      for (const one of await store.events.sweeps('node')) await sweepOn(store, one, clock.at)
    },
  }
}

export const registered: Partial<EndpointSettings> = { kinds: ['lead.registered'] }
