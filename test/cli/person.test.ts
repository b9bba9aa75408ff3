// One person over all campaigns: `lead find` and `lead erase --account`.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { begin } from '../../src/core/mechanism/attempt.ts'
import { findPerson } from '../../src/leads/person.ts'
import type { Campaign, Lead } from '../../src/store/model.ts'
import { tester } from '../support/actor.ts'
import { campaignFile, type Installation, type Owner, owner } from '../support/lastcall.ts'
import { panelSession, plainServer } from '../support/panel-session.ts'
import { assertRefused, prepared } from '../support/prepared.ts'
import { holdProcessScope } from '../support/process-scope.ts'

// The server that a test asks for first stays for the others.
holdProcessScope()

type Base = Pick<Owner, 'accountId' | 'campaignId'> & { place: Installation }

test('one person over all campaigns', { timeout: 300_000 }, async (t) => {
  const origin = await prepared(t)
  const accountOf = ({ accountId }: Base) => ['--account', String(accountId)]
  const account = accountOf(origin)
  const written = ['ada@example.com', 'Ada@example.com', 'ada@Example.COM']
  const others = ['ad@example.com', 'ada@example.co', 'ada@example.comm', 'b-ada@example.com', 'ada@example.con']

  /** Three campaigns, a draft among them; the first has every spelling, the last the one in small letters. */
  async function arranged(base: Base) {
    const { place, campaignId } = base
    const apply = ['campaign', 'apply', ...accountOf(base), '-']
    const draft = await place.json(apply, campaignFile({ name: 'Draft', isDraft: true }))
    const empty = await place.json(apply, campaignFile({ name: 'Empty' }))
    await imported(place, campaignId, [...written, ...others])
    await imported(place, draft.id, [written[0] as string, ...others])
    await imported(place, empty.id, others)
    const stranger = await place.json(['account', 'create', '--name', 'Stranger'])
    const theirs = await place.json(['campaign', 'apply', '--account', String(stranger.id), '-'], campaignFile())
    await imported(place, theirs.id, written)
    return { place, draftId: draft.id as number, stranger: stranger.id as number, theirs: theirs.id as number }
  }

  const imported = (place: Installation, id: number, emails: string[]) =>
    place.json(['lead', 'import', '--campaign', String(id), '-'], `email\n${emails.join('\n')}\n`)
  const listed = async (place: Installation, id: number) =>
    (await place.json<any[]>(['lead', 'list', '--campaign', String(id)])).map(({ email }) => email).sort()
  const named = (leads: any[]) => leads.map(({ campaignId, email }) => [campaignId, email])

  await t.test('lead find lists all that is kept, other spellings apart', async (t) => {
    const { place, draftId } = await arranged({ ...origin, place: origin.copy(t) })
    const at = '2035-01-01T00:00:00Z'
    const lead = ['--campaign', String(origin.campaignId), '--email', 'ada@example.com']
    await place.json(['lead', 'deadline', ...lead, '--at', at])
    const shown = await place.json(['lead', 'show', ...lead])
    const { accountId, campaignId } = origin
    await place.arrange(async (store) => {
      const campaign = (await store.configuration.findCampaign(campaignId)) as Campaign
      const { id: leadId } = (await store.leads.find(campaign, 'ada@example.com')) as Lead
      const open = { kind: 'open', fetcher: 'person', day: 20_000, pageId: null, total: 1, lastAt: 1 } as const
      await store.counts.add([{ ...open, accountId, campaignId, leadId }])
    })
    const found = await place.json(['lead', 'find', ...account, '--email', 'ada@example.com'])
    assert.deepEqual(named(found.leads), [
      [origin.campaignId, 'ada@example.com'],
      [draftId, 'ada@example.com'],
    ])
    assert.deepEqual(named(found.otherSpellings), [
      [origin.campaignId, 'Ada@example.com'],
      [origin.campaignId, 'ada@Example.COM'],
    ])
    const { campaignName, timeZone, ruleId, opensAtByRules, ...others } = found.leads[0]
    const { startedAt, resets, deadlineByRules, setByHandAt, days, ...rest } = others
    assert.deepEqual(rest, shown)
    assert.equal(rest.deadline, at)
    assert.deepEqual([campaignName, timeZone, resets], ['Autumn course', 'Europe/Warsaw', 0])
    assert.deepEqual([typeof ruleId, opensAtByRules, startedAt], ['number', startedAt, shown.registeredAt])
    assert.equal(Date.parse(deadlineByRules) - Date.parse(startedAt), 48 * 3_600_000)
    assert.ok(Date.parse(setByHandAt) >= Date.parse(startedAt) && Date.parse(setByHandAt) <= Date.now())
    assert.deepEqual(
      days.map(({ kind, total }: any) => [kind, total]),
      [['open', 1]],
    )
    const upper = await place.json(['lead', 'find', ...account, '--email', 'ADA@EXAMPLE.COM'])
    assert.deepEqual([upper.leads.length, upper.otherSpellings.length], [0, 4])
    const nobody = await place.json(['lead', 'find', ...account, '--email', 'nobody@example.com'])
    assert.deepEqual(nobody, { leads: [], otherSpellings: [] })
  })

  await t.test('lead erase --account erases the address in all its campaigns, and no other', async (t) => {
    const { place, draftId, theirs } = await arranged({ ...origin, place: origin.copy(t) })
    const erase = ['lead', 'erase', ...account, '--email', 'ada@example.com']
    assert.deepEqual(await place.json(erase), { erased: true, campaignIds: [origin.campaignId, draftId] })
    assert.deepEqual(await listed(place, origin.campaignId), [...written.slice(1), ...others].sort())
    assert.deepEqual(await listed(place, draftId), [...others].sort())
    assert.deepEqual(await listed(place, theirs), [...written].sort())
    assertRefused(await place.runShared(erase), '--email', [2])
    assertRefused(await place.runShared([...erase, '--campaign', '1']), '--campaign', [2])
    assertRefused(await place.runShared(['lead', 'erase', '--email', 'ada@example.com']), '--account', [2])
    assertRefused(await place.runShared(['lead', 'find', '--account', '999', '--email', 'a@example.com']), '999', [2])
    assertRefused(await place.runShared(['lead', 'find', ...account]), '--email', [2])
  })

  await t.test('lead erase --account leaves no row in a campaign whose removal was stopped', async (t) => {
    const { place, draftId } = await arranged({ ...origin, place: origin.copy(t) })
    await place.arrange((store) => store.configuration.deleteCampaign(draftId, tester))
    const erase = ['lead', 'erase', ...account, '--email', 'ada@example.com']
    assert.deepEqual(await place.json(erase), { erased: true, campaignIds: [origin.campaignId] })
    assert.deepEqual(await place.arrange((store) => store.configuration.deletedCampaigns()), [])
  })

  await t.test('the panel finds and erases the same, and nothing of another account', async () => {
    const { place, server } = await plainServer()
    const me = { place, ...(await owner(place)) }
    const { draftId, stranger, theirs } = await arranged(me)
    const email = 'ada@example.com'
    const printed = await place.json(['lead', 'find', ...accountOf(me), '--email', email])
    const ask = await panelSession(place, server, me.accountId)
    const askAsStranger = await panelSession(place, server, stranger)
    const found = await ask('POST', '/person', { email })
    assert.deepEqual([found.status, found.body], [200, printed])
    const erased = await ask('POST', '/person/erasure', { email })
    assert.deepEqual([erased.status, erased.body], [200, { campaignIds: [me.campaignId, draftId] }])
    assert.deepEqual((await ask('POST', '/person', { email })).body.leads, [])
    assert.deepEqual((await ask('POST', '/person/erasure', { email })).body, { campaignIds: [] })
    assert.deepEqual(named((await askAsStranger('POST', '/person', { email })).body.leads), [[theirs, email]])
    assert.equal((await ask('POST', '/person', { email: 'no email' })).status, 422)
  })
})

test('lead find lists at most 1,000 other spellings, and the one that was asked for however many there are', async (t) => {
  const { place, accountId } = await prepared(t)
  const spelling = (which: number) =>
    [...'abcdefghijk'].map((letter, n) => (which & (1 << n) ? letter.toUpperCase() : letter)).join('')
  // In the order of bytes the one without capitals comes last.
  const emails = Array.from({ length: 1_002 }, (_, which) => `${spelling(which)}@example.com`).sort()
  const email = emails.at(-1) as string
  const found = await place.arrange((store) => {
    const lead = ({ terms }: Campaign, one: string) => ({ email: one, attempt: begin(terms, 0) }) as Lead
    const find = async (campaign: Campaign, one: string) => (emails.includes(one) ? lead(campaign, one) : undefined)
    const list = async (campaign: Campaign, { afterEmail }: { afterEmail: string }) =>
      emails
        .filter((one) => one > afterEmail)
        .slice(0, 1)
        .map((one) => lead(campaign, one))
    const none = { ofLead: async () => [] }
    const parts = { counts: { ...store.counts, ...none }, conversions: { ...store.conversions, ...none } }
    return findPerson({ ...store, ...parts, leads: { ...store.leads, find, list } }, accountId, email, 0)
  })
  assert.deepEqual([found.leads.map(({ lead }) => lead.email), found.otherSpellings.length], [[email], 1_000])
})
