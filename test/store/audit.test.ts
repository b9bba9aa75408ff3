// The audit log: written with the change or not at all, begun for campaigns of before, and purged.
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openConfigCache } from '../../src/campaigns/config-cache.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import { checkEndpoint } from '../../src/core/events.ts'
import { convert, reverse } from '../../src/leads/conversions.ts'
import { buildLeads } from '../../src/leads/leads.ts'
import type { Actor, AuditEntry, AuditPage } from '../../src/store/audit.ts'
import type { Source } from '../../src/store/conversions.ts'
import { ChangedMeanwhile } from '../../src/store/errors.ts'
import { migrationTo } from '../../src/store/migrations.ts'
import { asFile, type Campaign } from '../../src/store/model.ts'
import { type DatabaseLocation, openStore } from '../../src/store/open.ts'
import type { Store } from '../../src/store/store.ts'
import { tester, testerAt } from '../support/actor.ts'
import { emptyDatabases, runIn } from '../support/empty-databases.ts'
import { rowsAt } from '../support/rows.ts'

const options = { lockWaitMs: 1_000, timeoutMs: 5_000, poolSize: 2, isServer: false }
const day = 86_400

async function opened(t: TestContext, at: DatabaseLocation): Promise<Store> {
  const store = await openStore(at, options)
  t.after(() => store.close())
  return store
}

function settings(changes: object = {}) {
  const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'P2D' } }
  const checked = checkCampaign({ name: 'Autumn course', timeZone: 'UTC', mechanism, ...changes })
  assert.ok('campaign' in checked)
  return checked.campaign
}

const all = async (store: Store, accountId: number): Promise<AuditEntry[]> =>
  (await store.audit.listEntries(accountId, {}, Number.MAX_SAFE_INTEGER, 1_000)).entries

const plain = (value: unknown) => JSON.parse(JSON.stringify(value))

/** What else campaigns of before may be. */
const variants = [
  { pages: [], mailTimer: null },
  {
    ...{ name: 'Żółw "1" \\ 🐢', isDraft: false, timeZone: 'Europe/Warsaw', language: 'uk' },
    ...{ anonymous: { enabled: true }, conversion: { closes: true }, mailTimer: { box: '#112233', width: 400 } },
    onExpiry: { action: 'REDIRECT', redirectUrl: 'https://example.com/closed?a=%22' },
    pages: [
      { pageUrl: 'https://example.com/z', proxyUrl: 'https://example.com/p', eligible: false },
      { pageUrl: 'https://example.com/a', eligible: true },
    ],
    mechanism: {
      startsOn: 'visit',
      deadline: { kind: 'daysAt', days: 3, time: '23:59', skipDates: ['2026-12-25'] },
      reset: { enabled: true, max: 2 },
    },
  },
]

/** Changes to subjects of every kind, and what they need. */
async function changesTo(store: Store, campaign: Campaign): Promise<(() => Promise<unknown>)[]> {
  const { configuration, access, events, identities } = store
  const { accountId, id: campaignId } = campaign
  const leads = buildLeads(store, openConfigCache(store), () => {})
  const of = { accountId, campaignId }
  const [ada, hash] = [{ email: 'ada@example.com' }, Buffer.alloc(32)]
  const user = (email: string) => ({ email, passwordHash: '', role: 'owner' }) as const
  const invited = (n: number) => ({ tokenHash: Buffer.alloc(32, n), role: 'viewer', email: null, endsAt: 99 }) as const
  const key = (id: string) => ({
    ...{ id, accountId, name: id, scopes: [] },
    secretHash: hash,
    createdAt: 1,
    graceEndsAt: null,
  })
  const told = (orderId: string) => ({ buyer: ada, order: { orderId, at: 1, amount: null, currency: null } })
  const order = (orderId: string, source: Source) => convert(store, of, { ...told(orderId), source }, 1, tester)
  const url = { name: 'Shop', url: 'https://example.com/' }
  const checked = checkEndpoint({ ...url, kinds: ['lead.expired'] }, () => undefined)
  assert.ok('settings' in checked)

  await leads.importLead(of, ada.email, 1, tester)
  await order('1', 'panel')
  await configuration.createKey(key('old'), tester)
  const owner = await access.createUser(accountId, user('owner@example.com'), tester)
  const other = await access.createUser(accountId, user('other@example.com'), tester)
  await access.createInvitation(owner, invited(1), tester)
  const endpoint = await events.createEndpoint(accountId, checked.settings, tester)

  return [
    () => configuration.createAccount('Other', tester),
    () => configuration.updateAccount(accountId, { name: 'Other' }, tester),
    () => access.createUser(accountId, user('new@example.com'), tester),
    () => access.setRole(accountId, other.id, 'viewer', tester),
    () => access.setPassword(other.id, 'x', tester),
    () => access.removeUser(accountId, other.id, tester),
    () => access.switchFactorOn(other, { secret: 'AAAA', step: 1, recoveryCodes: [hash] }, hash, tester),
    () => identities.link(other.id, { issuer: 'https://id.example', subject: '1' }, tester),
    () => access.createInvitation(owner, invited(2), tester),
    () => access.withdrawInvitation(accountId, invited(1).tokenHash, tester),
    () => access.acceptInvitation(invited(1).tokenHash, user('new@example.com'), '', tester),
    () => configuration.createKey(key('new'), tester),
    () => configuration.renameKey('old', 'Other', tester),
    () => configuration.replaceKey('old', 9, key('new'), tester),
    () => configuration.revokeKey('old', tester),
    () => configuration.applyCampaign(accountId, settings({ id: campaignId, name: 'Other' }), tester),
    () => configuration.archiveCampaign(accountId, campaignId, true, tester),
    () => configuration.deleteCampaign(campaignId, tester),
    () => events.createEndpoint(accountId, checked.settings, tester),
    () => events.changeEndpoint(endpoint, { ...checked.settings, name: 'Other' }, tester),
    () => events.rotateSecret(endpoint, null, tester),
    () => events.pauseEndpoint(endpoint, 'user', tester),
    () => leads.importLead(of, 'new@example.com', 1, tester),
    () => leads.add(of, 'new@example.com', tester),
    () => leads.setDeadline(of, ada.email, 9_999, tester),
    () => order('2', 'panel'),
    () => order('2', 'import'),
    () => reverse(store, of, '1', false, 2, tester),
    () => store.leads.erase([{ campaign, ...ada }], tester),
  ]
}

for (const [engine, place] of Object.entries(emptyDatabases)) {
  test(`a migration gives each campaign a first entry, which is its export: ${engine}`, async (t) => {
    const at = await place(t)
    const older = await openStore(at, options)
    const { id } = await older.configuration.createAccount('Owner', tester)
    for (const changes of variants) await older.configuration.applyCampaign(id, settings(changes), tester)
    await older.close()
    const without =
      engine === 'sqlite'
        ? "UPDATE campaigns SET settings = json_remove(settings, '$.conversion') WHERE id = 1"
        : "UPDATE campaigns SET settings = (settings::jsonb - 'conversion')::text WHERE id = 1"
    await runIn(at, without)
    await runIn(at, 'DELETE FROM audit_entries')
    await runIn(at, 'DROP INDEX audit_entries_with_address')
    await runIn(at, migrationTo(13, at.engine))
    const store = await opened(t, at)
    const entries = (await all(store, id)).reverse()
    assert.equal(entries.length, variants.length)
    for (const [index, entry] of entries.entries()) {
      const campaign = await store.configuration.findCampaign(index + 1)
      assert.ok(campaign)
      assert.deepEqual(entry.after, plain(asFile(campaign)))
      const subject = { kind: 'campaign', id: campaign.id, name: campaign.name }
      assert.deepEqual([entry.actor.kind, entry.before, entry.subject], ['migration', null, subject])
      assert.ok(Math.abs(entry.at - Date.now() / 1_000) < 60)
    }
  })

  test(`nothing is changed without its entry in the log, and no entry is written without the change: ${engine}`, async (t) => {
    const at = await place(t)
    const store = await opened(t, at)
    const { id } = await store.configuration.createAccount('Owner', tester)
    const campaign = await store.configuration.applyCampaign(id, settings({ isDraft: false }), tester)
    const changes = await changesTo(store, campaign)
    const before = await rowsAt(at)

    // A campaign's second page names one that is not there: the first one was written already.
    const wrong = settings({ id: campaign.id, name: 'Other', pages: [{ pageUrl: 'https://example.com', id: 99 }] })
    await assert.rejects(store.configuration.applyCampaign(id, wrong, tester), /no page 99/)
    assert.deepEqual(await rowsAt(at), before)

    await runIn(at, 'ALTER TABLE audit_entries RENAME TO elsewhere')
    for (const change of changes) {
      const isOfLog = ({ cause }: Error) => /audit_entries/.test(String(cause))
      await assert.rejects(change(), isOfLog, String(change))
    }
    await runIn(at, 'ALTER TABLE elsewhere RENAME TO audit_entries')
    assert.deepEqual(await rowsAt(at), before)
  })

  test(`the same settings saved again leave no entry, an import one; what is archived is no live campaign: ${engine}`, async (t) => {
    const store = await opened(t, await place(t))
    const { id } = await store.configuration.createAccount('Owner', tester)
    const made = await store.configuration.applyCampaign(id, settings(), tester)
    await store.configuration.applyCampaign(id, settings({ id: made.id }), testerAt(2))
    await store.configuration.updateAccount(id, { name: 'Owner' }, testerAt(2))
    await store.configuration.archiveCampaign(id, made.id, true, testerAt(3))
    await store.configuration.archiveCampaign(id, made.id, true, testerAt(4))
    const leads = buildLeads(store, openConfigCache(store), () => {})
    const of = { accountId: id, campaignId: made.id }
    for (let n = 0; n < 30; n += 1) await leads.importLead(of, `${n % 20}@example.com`, 5, testerAt(5))
    const found = (await all(store, id)).map(({ action, subject, after, at }) => ({ action, subject, after, at }))
    assert.deepEqual(found.map(({ action, at }) => `${action} ${at}`).reverse(), [
      ...['account.created 1', 'campaign.created 1', 'campaign.archived 3', 'leads.imported 5'],
    ])
    assert.deepEqual(found[0]?.subject, { kind: 'leads', id: made.id, name: made.name })
    assert.deepEqual(found[0]?.after, { count: 20 })
    const { newestCampaign, isLiveWithLead, listCampaigns } = store.configuration
    const [everyOne, seen] = [
      { limit: 9, afterId: 0, isDraft: null },
      async () => {
        const [one] = await listCampaigns(id, everyOne)
        return [one?.isDraft, one?.isArchived, await newestCampaign(id), await isLiveWithLead(id)]
      },
    ] as const
    assert.deepEqual(await seen(), [true, true, undefined, false])
    const [newest, next] = await all(store, id)
    const listed = async (of: number, filter: object, beforeId: number) =>
      (await store.audit.listEntries(of, filter, beforeId, 1)).entries
    assert.deepEqual(await listed(id, {}, newest?.id as number), [next])
    // Of the same actor, but of another account.
    const { id: strangers } = await store.configuration.createAccount('Stranger', tester)
    const like = { likeId: newest?.id as number }
    assert.deepEqual(await listed(strangers, like, Number.MAX_SAFE_INTEGER), [])
    assert.deepEqual(await listed(id, like, Number.MAX_SAFE_INTEGER), [newest])
    await store.configuration.applyCampaign(id, settings({ id: made.id, isDraft: false }), testerAt(6))
    assert.deepEqual(await seen(), [false, false, made.id, true])
    // Published meanwhile, it is not restored: that would make it a draft.
    const entries = await all(store, id)
    const restored = await store.configuration.archiveCampaign(id, made.id, false, testerAt(7))
    assert.equal(restored?.isDraft, false)
    // Nor archived by somebody who saw a draft.
    const asSeen = ({ isDraft }: { isDraft: boolean }) => isDraft
    await assert.rejects(store.configuration.archiveCampaign(id, made.id, true, testerAt(7), asSeen), ChangedMeanwhile)
    assert.deepEqual(await seen(), [false, false, made.id, true])
    assert.deepEqual(await all(store, id), entries)
  })

  test(`a lead that is added again counts as none: if it changes, the log says whose deadline moved: ${engine}`, async (t) => {
    const store = await opened(t, await place(t))
    const { id } = await store.configuration.createAccount('Owner', tester)
    const deadline = { kind: 'after', period: 'PT1M' }
    const mechanism = { startsOn: 'registration', deadline, reset: { enabled: true, max: 1 } }
    const made = await store.configuration.applyCampaign(id, settings({ isDraft: false, mechanism }), tester)
    const leads = buildLeads(store, openConfigCache(store), () => {})
    const add = (name: string, at: number) =>
      leads.add({ accountId: id, campaignId: made.id }, `${name}@example.com`, testerAt(at))
    for (const name of ['ada', 'bob', 'cyd']) await add(name, 10)
    const [before] = await Promise.all([add('ada', 11), add('bob', 11), add('new', 11)])
    assert.ok(typeof before === 'object')
    // Its only reset is used.
    await add('ada', 12)
    const entries = (await all(store, id)).filter(({ subject }) => subject.kind.startsWith('lead'))
    const shown = (entry: AuditEntry) => [entry.action, entry.subject.id, entry.before, entry.after]
    const at = (second: number) => ({ campaignId: made.id, deadline: `1970-01-01T00:01:${second}Z` })
    assert.deepEqual(
      entries.filter(({ subject }) => subject.id === before.lead.id && subject.kind === 'lead').map(shown),
      [['lead.added_again', before.lead.id, at(10), at(11)]],
    )
    const counts = entries.filter(({ action }) => action === 'leads.added')
    assert.deepEqual(counts.map(({ after }) => after).reverse(), [{ count: 3 }, { count: 1 }])
    assert.equal(entries.length, 4)
  })

  test(`a page of the log ends early where settings are large, and the next one goes on behind it: ${engine}`, async (t) => {
    const store = await opened(t, await place(t))
    const { id } = await store.configuration.createAccount('Owner', tester)
    const pages = Array.from({ length: 50 }, (_, n) => ({ pageUrl: `https://example.com/${n}/${'a'.repeat(2_000)}` }))
    const made = await store.configuration.applyCampaign(id, settings({ pages }), tester)
    for (let n = 0; n < 12; n += 1)
      await store.configuration.applyCampaign(id, settings({ id: made.id, name: `${n}`, pages }), tester)
    const lengths: number[] = []
    for (let next: number | null = Number.MAX_SAFE_INTEGER; next !== null; ) {
      const page: AuditPage = await store.audit.listEntries(id, {}, next, 8)
      assert.ok(JSON.stringify(page.entries).length < 1_100_000)
      lengths.push(page.entries.length)
      next = page.next
    }
    // The first save has no settings before it, and the account's entry next to none.
    assert.deepEqual(lengths, [4, 4, 6])
  })

  test(`a purge goes in small steps where settings are large: ${engine}`, async (t) => {
    const store = await opened(t, await place(t))
    const user: Actor = { kind: 'user', name: 'ada@example.com', address: '192.0.2.0/24', at: 0 }
    const { id } = await store.configuration.createAccount('Owner', user)
    const pages = Array.from({ length: 50 }, (_, n) => ({ pageUrl: `https://example.com/${n}/${'a'.repeat(2_000)}` }))
    const made = await store.configuration.applyCampaign(id, settings({ pages }), user)
    for (let n = 0; n < 12; n += 1)
      await store.configuration.applyCampaign(id, settings({ id: made.id, name: `${n}`, pages }), user)
    const stepsBefore = async (before: number) => {
      const steps: number[] = []
      for (let count = -1; count !== 0; steps.push(count)) count = await store.audit.purge(before, 100 * day)
      return [steps.reduce((sum, count) => sum + count), Math.max(...steps) <= 6]
    }
    assert.deepEqual(await stepsBefore(0), [14, true], 'addresses')
    assert.deepEqual(await stepsBefore(day), [13, true], 'entries')
  })

  test(`the names and actions by which the log can be filtered have the same order on both engines: ${engine}`, async (t) => {
    const store = await opened(t, await place(t))
    const named = (name: string): Actor => ({ ...tester, name })
    const { id } = await store.configuration.createAccount('Owner', named('ada'))
    await store.configuration.applyCampaign(id, settings(), named('Zoe'))
    await store.configuration.updateAccount(id, { name: 'Other' }, named('_'))
    const actors = await store.audit.listActors(id)
    const entries = await all(store, id)
    assert.deepEqual(
      actors.map(({ name }) => name),
      ['Zoe', '_', 'ada'],
    )
    for (const { name, likeId } of actors) assert.equal(entries.find((entry) => entry.id === likeId)?.actor.name, name)
    await store.configuration.updateAccount(id, { name: 'Again' }, named('ada'))
    const { likeId } = actors.find(({ name }) => name === 'ada') as { likeId: number }
    const still = (await store.audit.listActors(id, likeId)).find(({ name }) => name === 'ada')
    assert.equal(still?.likeId, likeId, 'by the entry that is asked for')
    assert.deepEqual(await store.audit.listActions(id), ['account.changed', 'account.created', 'campaign.created'])
  })

  test(`a page that says that nothing follows has the oldest entry, whatever is written meanwhile: ${engine}`, async (t) => {
    const store = await opened(t, await place(t))
    const { id } = await store.configuration.createAccount('Owner', tester)
    const first = (await all(store, id)).at(-1)?.id
    let isOver = false
    const writing = (async () => {
      for (let n = 0; !isOver; n += 1) await store.configuration.applyCampaign(id, settings({ name: `${n}` }), tester)
    })()
    for (let n = 0; n < 200; n += 1) {
      const { entries, next } = await store.audit.listEntries(id, {}, Number.MAX_SAFE_INTEGER, 1_000)
      assert.deepEqual([entries.at(-1)?.id, next], [first, null])
    }
    isOver = true
    await writing
  })

  test(`a purge keeps each campaign's last entry from before, and no address over thirty days: ${engine}`, async (t) => {
    const store = await opened(t, await place(t))
    const user = (at: number): Actor => ({ kind: 'user', name: 'ada@example.com', address: '192.0.2.0/24', at })
    const { id } = await store.configuration.createAccount('Owner', user(0))
    const apply = (at: number, changes: object) => store.configuration.applyCampaign(id, settings(changes), user(at))
    const first = await apply(1 * day, { name: '1' })
    await apply(2 * day, { id: first.id, name: '2' })
    await apply(3 * day, { id: first.id, name: '3' })
    await apply(69 * day, { id: first.id, name: '4' })
    await apply(71 * day, { id: first.id, name: '5' })
    const second = await apply(4 * day, { name: 'second' })
    const now = 100 * day
    const purge = async (days: number) => {
      while ((await store.audit.purge(now - days * day, now)) > 0) {}
      return all(store, id)
    }
    const kept = await purge(97)
    assert.deepEqual(
      kept.map(({ subject, after, at }) => [subject.id, (after as { name: string } | null)?.name, at / day]),
      [
        [second.id, 'second', 4],
        [first.id, '5', 71],
        [first.id, '4', 69],
        [first.id, '3', 3],
        [first.id, '2', 2],
      ],
      'the entry of day 2 gives the settings at the limit, the end of day 2',
    )
    assert.deepEqual(
      kept.map(({ address }) => address),
      [null, '192.0.2.0/24', null, null, null],
    )
    assert.deepEqual(
      (await purge(1)).map(({ at }) => at / day),
      [4, 71],
    )
    assert.equal(await store.audit.purge(now - day, now), 0, 'what is kept is not gone through for ever')
  })
}
