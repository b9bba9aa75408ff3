// The audit log as users and commands write it: enough to know every campaign at every instant, and nothing secret.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { after, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { auditActions } from '../../src/store/audit.ts'
import type { CampaignFile } from '../../src/store/model.ts'
import type { Store } from '../../src/store/store.ts'
import { amount, between, chance, printSeed } from '../support/faults.ts'
import { appliedCampaign, campaignFile, installation, owner } from '../support/lastcall.ts'
import { panelSession } from '../support/panel-session.ts'
import { comesTrue } from '../support/prepared.ts'
import { rowsIn, rowsOf } from '../support/rows.ts'
import { createUser } from '../support/users.ts'

const oldHash = 'ab'.repeat(32)
const place = installation({ after })
const { accountId, campaignId } = await owner(place)
const account = ['--account', String(accountId)]
const seconds = () => Math.floor(Date.now() / 1_000)
const old = await owner(place)
await place.arrange((store) => leaveOldTraces(store, old.accountId))
const server = await place.serve(['--audit-days', '30'])
const panel = await panelSession(place, server, accountId)
const list = (...flags: string[]) => place.json(['audit', 'list', ...account, ...flags])
const pick = <T>(of: readonly T[]): T => of[Math.floor(between(0, of.length))] as T

/** What a panel's answer must be, by its status. */
async function done(method: string, path: string, body?: unknown) {
  const answer = await panel(method, path, body)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

function randomSettings(known?: CampaignFile) {
  const deadline = pick([
    { kind: 'after', period: `PT${Math.floor(between(1, 90))}H` },
    { kind: 'daysAt', days: Math.floor(between(0, 9)), time: '23:59', skipWeekdays: ['sun'] },
  ])
  const kept = known?.pages.filter(() => chance() < 0.6) ?? []
  const added = chance() < 0.5 ? [{ pageUrl: `https://example.com/${chance()}`, eligible: chance() < 0.5 }] : []
  return {
    ...(known && { id: known.id }),
    name: pick(['Autumn "1"', 'Żółw \\ 🐢', `Spring ${chance()}`]),
    isDraft: chance() < 0.5,
    timeZone: pick(['Europe/Warsaw', 'UTC', 'America/New_York']),
    language: pick(['en', 'pl', 'de']),
    mechanism: { startsOn: pick(['registration', 'visit']), deadline, reset: { enabled: chance() < 0.5 } },
    anonymous: { enabled: false },
    conversion: { closes: chance() < 0.5 },
    onExpiry: pick([{ action: 'HIDE' }, { action: 'REDIRECT', redirectUrl: 'https://example.com/closed' }]),
    pages: [...kept, ...added],
    mailTimer: pick([null, {}]),
  }
}

type Step = { id: number; settings: CampaignFile | null; from: number; to: number }

/** Makes, changes, archives, brings back or deletes a campaign, in the panel or by a command. */
async function changeCampaign(living: Map<number, CampaignFile>): Promise<number> {
  const known = chance() < 0.2 ? undefined : pick([...living.values()])
  const byPanel = chance() < 0.6
  if (known === undefined) {
    const settings = randomSettings()
    if (byPanel) return (await done('POST', '/campaigns', { settings })).settings.id
    return (await place.json(['campaign', 'apply', ...account, '-'], JSON.stringify(settings))).id
  }
  const path = `/campaigns/${known.id}`
  const what = chance()
  if (what < 0.1 && living.size > 1) {
    if (byPanel) await done('DELETE', path)
    else await place.json(['campaign', 'delete', String(known.id), '--yes'])
  } else if (what < 0.25) await done('PUT', `${path}/archive`, { isArchived: chance() < 0.6, sawDraft: false })
  else if (byPanel) {
    const { revision } = await done('GET', path)
    await done('PUT', path, { settings: randomSettings(known), revision })
  } else await place.json(['campaign', 'apply', ...account, '-'], JSON.stringify(randomSettings(known)))
  return known.id
}

/** What else goes on meanwhile. */
async function changeElse(living: Map<number, CampaignFile>): Promise<void> {
  const campaign = String(pick([...living.keys()]))
  const email = `${Math.floor(between(0, 20))}@example.com`
  await pick([
    () => done('PATCH', '/account', { name: `Account ${chance()}` }),
    () => done('POST', '/keys', { name: 'Shop' }).then(({ id }) => place.json(['key', 'revoke', id])),
    () => place.json(['lead', 'import', '--campaign', campaign, '-'], `email\n${email}\n`),
    () => done('POST', `/campaigns/${campaign}/leads/import`, { emails: [email] }),
  ])()
}

test('after random changes by panel and commands the log alone gives every campaign at every instant', async (t) => {
  printSeed(t)
  const living = new Map<number, CampaignFile>()
  const steps: Step[] = []
  const read = async (id: number) => {
    const { status, body } = await panel('GET', `/campaigns/${id}`)
    return status === 404 ? null : (body.settings as CampaignFile)
  }
  living.set(campaignId, (await read(campaignId)) as CampaignFile)
  const began = (await list('--limit', '1'))[0].id
  for (let n = 0; n < amount(8, 1_000); n += 1) {
    if (chance() < 0.15) {
      await changeElse(living)
      continue
    }
    const from = seconds()
    const id = await changeCampaign(living)
    const settings = await read(id)
    steps.push({ id, settings, from, to: seconds() })
    if (settings === null) living.delete(id)
    else living.set(id, settings)
  }
  const entries: any[] = (await list('--subject', 'campaign')).reverse()
  // Those of this run; the one before has the campaign as it was made.
  const logged = entries.filter(({ id }) => id > began)
  let index = 0
  const now = new Map(entries.filter(({ id }) => id <= began).map((one) => [one.subject.id, one.after]))
  for (const { id, settings, from, to } of steps) {
    const entry = logged[index]
    const at = Date.parse(entry?.at) / 1_000
    // Saved again as it was, or archived twice: no entry.
    const isOther = entry?.subject.id !== id || at > to || !isDeepStrictEqual(entry.after, settings)
    if (isOther && isDeepStrictEqual(now.get(id), settings)) continue
    assert.equal(entry?.subject.id, id)
    assert.deepEqual(entry.after, settings, entry.action)
    assert.deepEqual(entry.before, now.get(id) ?? null, entry.action)
    assert.ok(from <= at && at <= to, `${entry.at} is not from ${from} to ${to}`)
    now.set(id, settings)
    index += 1
  }
  assert.equal(index, logged.length, 'no entry is left over')
  for (const [id, settings] of living) {
    assert.deepEqual(settings, await place.json(['campaign', 'export', String(id)]))
    assert.deepEqual(settings, now.get(id))
  }
})

test('an entry says who, what, when and from where; filters of the command line find it', async () => {
  const name = `Renamed ${chance()}`
  await done('PATCH', '/account', { name })
  const [ofPanel] = await list('--limit', '1')
  assert.deepEqual(ofPanel.actor, { kind: 'user', name: `user-of-${accountId}@example.com` })
  assert.equal(ofPanel.address, '127.0.0.0/24')
  assert.deepEqual([ofPanel.action, ofPanel.subject], ['account.changed', { kind: 'account', id: accountId, name }])
  assert.equal(ofPanel.after.name, name)
  assert.notEqual(ofPanel.before.name, name)

  const { id } = await place.json(['key', 'create', ...account, '--name', 'Till'])
  await place.json(['key', 'rename', id, '--name', 'Shop till'])
  const [renamed, made] = await list('--subject', `key/${id}`)
  assert.deepEqual(renamed.actor, { kind: 'command', name: userInfo().username })
  assert.equal(renamed.address, null)
  assert.deepEqual(
    [renamed.before.name, renamed.after.name, made.before, made.action],
    [...['Till', 'Shop till', null, 'key.created']],
  )

  const found = async (...flags: string[]) => (await list(...flags)).map((one: { id: number }) => one.id)
  assert.deepEqual(await found('--action', 'key.renamed', '--limit', '1'), [renamed.id])
  assert.ok((await found('--actor', ofPanel.actor.name)).includes(ofPanel.id))
  assert.ok(!(await found('--actor', ofPanel.actor.name)).includes(renamed.id))
  // As long as an email may be.
  assert.deepEqual(await found('--actor', `${'a'.repeat(242)}@example.com`), [])
  assert.ok((await found('--from', renamed.at)).includes(renamed.id))
  assert.ok(!(await found('--to', renamed.at)).includes(renamed.id))
  const wrong = [
    ...[
      ['--from', 'yesterday'],
      ['--limit', '0'],
      ['--limit', 'all'],
      ['--subject', 'Campaign 7'],
      ['--subject', 'campain/7'],
      ['--action', 'campain.changed'],
      ['--action', 'campaign'],
      ['--action', 'campaign.edited'],
      ['--to', '2026-01-01T00:00:00Z', '--from', '2026-01-01T00:00:00Z'],
    ],
    ...[['--account', '999']],
  ]
  for (const flags of wrong) {
    const own = flags[0] === '--account' ? [] : account
    const { code, stderr } = await place.runShared(['audit', 'list', ...own, ...flags])
    assert.deepEqual([code, stderr.startsWith(`lastcall: ${flags[0]}: `)], [2, true], stderr)
  }
})

test('the panel has words for every action, in both languages', () => {
  const words = readFileSync(new URL('../../panel/src/screens/settings/audit-words.ts', import.meta.url), 'utf8')
  const wordless = auditActions.filter((action) => words.split(`'${action}': '`).length !== 3)
  assert.deepEqual(wordless, [])
})

test('no email of a lead, no secret and no path of a receiver stands in the log', async () => {
  const id = (await place.json(['campaign', 'apply', ...account, '-'], campaignFile({ mailTimer: null }))).id
  const campaign = ['--campaign', String(id)]
  const email = 'planted.lead@example.com'
  const orderId = 'planted-order-of-ada'
  await place.json(['lead', 'import', ...campaign, '-'], `email\n${email}\nsecond.planted@example.com\n`)
  await place.json(['lead', 'deadline', ...campaign, '--email', email, '--at', '2099-01-01T00:00:00Z'])
  await place.json([
    'lead',
    'convert',
    ...campaign,
    '--email',
    email,
    '--order',
    orderId,
    '--amount',
    '9.00',
    '--currency',
    'EUR',
  ])
  await place.json(['conversion', 'reverse', ...campaign, '--order', orderId])
  await place.json(['conversion', 'import', ...campaign, '-'], `email,orderId\n${email},planted-second\n`)
  await done('POST', `/campaigns/${id}/leads`, { email: 'third.planted@example.com' })
  const { leads } = await done('POST', `/campaigns/${id}/leads/search`, {
    ...{ prefix: '', state: null, afterEmail: '', limit: 50 },
  })
  const refs = leads.map(({ ref }: { ref: string }) => ref)
  await done('PUT', `/campaigns/${id}/leads/deadlines`, { refs, to: '2099-02-01T10:00' })
  await done('POST', `/campaigns/${id}/leads/${refs[0]}/conversions`, { orderId: 'planted-third' })
  const made = await done('POST', '/keys', { name: 'Shop' })
  const replaced = await done('POST', `/keys/${made.id}/replacement`, { name: 'Shop', graceSeconds: 3_600 })
  await place.json(['key', 'revoke', made.id])
  const settings = {
    name: 'CRM',
    url: 'https://receiver.example/planted/path?token=planted',
    kinds: ['lead.registered'],
  }
  const hook = await done('POST', '/webhooks', settings)
  await done('PATCH', `/webhooks/${hook.id}`, { url: 'https://receiver.example/planted/other' })
  const rotated = await done('POST', `/webhooks/${hook.id}/secret`, { graceHours: 1 })
  await done('POST', `/webhooks/${hook.id}/pause`)
  await done('POST', `/webhooks/${hook.id}/resume`, { from: 'now' })
  await done('POST', `/webhooks/${hook.id}/backfill/${id}`)
  await done('DELETE', `/webhooks/${hook.id}`)
  await place.json(['lead', 'erase', ...campaign, '--email', email])
  await done('POST', '/person/erasure', { email: 'second.planted@example.com' })

  const entries = await list()
  const text = JSON.stringify([entries, await rowsIn(place, 'audit_entries')])
  const secretOf = ({ key }: { key: string }) => key.split('.')[1] as string
  const secrets = [secretOf(made), secretOf(replaced), hook.secret.slice(6), rotated.secret.slice(6), ...refs]
  const never = ['planted', 'long enough for a test', 'whsec_', ...secrets]
  for (const secret of never) assert.ok(!text.includes(secret), `${secret} stands in the log`)
  assert.ok(text.includes('receiver.example'))
  const actions = new Set(entries.map(({ action }: { action: string }) => action))
  const wanted = [
    ...['leads.imported', 'lead.deadline_set', 'lead.order_told', 'lead.order_reversed', 'leads.orders_imported'],
    ...[
      'leads.added',
      'leads.erased',
      'key.created',
      'key.replaced',
      'key.revoked',
      'webhook.created',
      'webhook.changed',
    ],
    ...['webhook.secret_rotated', 'webhook.paused', 'webhook.resumed', 'webhook.backfilled', 'webhook.deleted'],
  ]
  assert.deepEqual(
    wanted.filter((action) => !actions.has(action)),
    [],
  )
  const imported = entries.find(({ action, subject }: any) => action === 'leads.imported' && subject.id === id)
  assert.deepEqual(imported.after, { count: 2 })
})

test('a list of large settings, which are read in small pages, is whole', async () => {
  const pages = Array.from({ length: 50 }, (_, n) => ({ pageUrl: `https://example.com/${n}/${'a'.repeat(2_000)}` }))
  const id = await place.arrange(async (store) => {
    const made = await appliedCampaign(store, accountId, campaignFile({ mailTimer: null, pages }))
    for (let n = 0; n < 8; n += 1) {
      const file = campaignFile({ id: made.id, name: `${n}`, mailTimer: null, pages })
      await appliedCampaign(store, accountId, file)
    }
    return made.id
  })
  const entries = await list('--subject', `campaign/${id}`)
  assert.equal(entries.length, 9)
  assert.equal((await list('--subject', `campaign/${id}`, '--limit', '8')).length, 8)
})

test('a deadline that a lead has already is set once', async () => {
  const { id } = await place.json(['campaign', 'apply', ...account, '-'], campaignFile({ mailTimer: null }))
  const campaign = ['--campaign', String(id)]
  await place.json(['lead', 'import', ...campaign, '-'], 'email\nonce@example.com\n')
  const set = (at: string) => place.json(['lead', 'deadline', ...campaign, '--email', 'once@example.com', '--at', at])
  for (const at of ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00Z', '2030-01-02T00:00:00Z']) await set(at)
  const entries = await list('--action', 'lead.deadline_set')
  const ours = entries.filter(({ before }: any) => before.campaignId === id)
  assert.deepEqual(
    ours.map(({ after }: any) => after.deadlineByHand),
    ['2030-01-02T00:00:00Z', '2030-01-01T00:00:00Z'],
  )
})

test('what the API registers and tells of orders is no entry; the server removes what is over AUDIT_DAYS, and what has ended', async () => {
  const before = (await list('--limit', '1'))[0].id
  const { key } = await place.json(['key', 'create', ...account, '--name', 'api', '--scope', 'conversions'])
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const id = (await place.json(['campaign', 'apply', ...account, '-'], campaignFile({ mailTimer: null }))).id
  const post = (path: string, body: object) =>
    fetch(`${server.origin}/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  assert.equal((await post(`public/v1/campaigns/${id}/leads`, { email: 'api@example.com' })).status, 201)
  const since = (await list()).filter((one: { id: number }) => one.id > before)
  assert.deepEqual(since.map(({ action }: { action: string }) => action).sort(), ['campaign.created', 'key.created'])

  const left = () => place.json(['audit', 'list', '--account', String(old.accountId), '--action', 'account.changed'])
  assert.ok(await comesTrue(10_000, async () => (await left()).length === 1))
  const [kept] = await left()
  assert.deepEqual([kept.after.name, kept.address], ['Later', '192.0.2.0/24'])
  const { sessions = [], invitations = [] } = await rowsOf(place)
  assert.deepEqual(
    [...sessions, ...invitations].filter((row) => row.includes(oldHash)),
    [],
  )
})

/** Two entries, of which one is over AUDIT_DAYS, and a session and an invitation that have ended. */
async function leaveOldTraces(store: Store, accountId: number): Promise<void> {
  const by = { kind: 'user', name: 'old@example.com', address: '192.0.2.0/24', at: seconds() - 40 * 86_400 } as const
  await store.configuration.updateAccount(accountId, { name: 'Then' }, by)
  await store.configuration.updateAccount(accountId, { name: 'Later' }, { ...by, at: by.at + 20 * 86_400 })
  const user = await createUser(store, accountId, { email: 'old@example.com', password: 'long', role: 'owner' })
  const hash = Buffer.from(oldHash, 'hex')
  await store.access.createInvitation(user, { tokenHash: hash, role: 'viewer', email: null, endsAt: by.at + 60 }, by)
  const credentials = await store.access.findCredentials(user.email)
  assert.ok(credentials)
  const client = { device: 'Firefox on Windows', address: '192.0.2.0/24' }
  await store.access.createSession(hash, credentials, client, by.at)
}
