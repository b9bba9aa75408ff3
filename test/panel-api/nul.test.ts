// PostgreSQL takes no NUL in a text, nor half a surrogate pair: wherever NUL comes in it is refused, and breaks nothing.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { routes } from '../../src/http/panel/routes.ts'
import { someOf } from '../support/faults.ts'
import { campaignFile, owner } from '../support/lastcall.ts'
import { panelSession, plainServer } from '../support/panel-session.ts'

const { place, server } = await plainServer()
const { accountId, campaignId, key, keyId } = await owner(place)
const ask = await panelSession(place, server, accountId)

const email = 'ada@example.com'
const webhook = { name: 'Shop', url: 'https://example.com/', kinds: ['lead.registered'], leadTimes: ['PT1H'] }
const { id: endpointId } = await place.json([
  ...['webhook', 'create', '--account', String(accountId), '--name', webhook.name, '--url', webhook.url],
  ...['--kinds', 'lead.registered'],
])
const settings = { ...JSON.parse(campaignFile()), onExpiry: { action: 'REDIRECT', redirectUrl: 'https://a.example' } }
const search = {
  ...{ prefix: 'a', state: 'open', afterEmail: 'a', limit: 10 },
  ...{ part: 'a', sort: 'deadline', afterDeadline: { at: 1, opensAt: 1, id: 1 }, refs: ['a'.repeat(32)] },
}

const bodies: Record<string, unknown> = {
  'POST /session': { email, password: 'some password' },
  'POST /invitation': { token: 'token' },
  'POST /users': { token: 'token', email, password: 'some password', accountName: 'Name' },
  'POST /password-resets': { email, language: 'en' },
  'POST /password-reset': { token: 'token' },
  'PUT /password-reset': { token: 'token', password: 'some password' },
  'POST /provider': { to: '/', invitation: { token: 'token', accountName: 'Name' } },
  'POST /password': { current: 'some password', next: 'another password' },
  'POST /session/code': { codeToken: 'token', code: '123456' },
  'POST /factor/offer': { password: 'some password' },
  'POST /factor': { offer: 'token', code: '123456' },
  'POST /factor/off': { code: '123456' },
  'POST /factor/recovery-codes': { code: '123456' },
  'PATCH /account': { name: 'Name' },
  'PATCH /users/:userId': { role: 'owner' },
  'POST /invitations': { role: 'viewer', email, language: 'en' },
  'POST /keys': { name: 'Name' },
  'PATCH /keys/:keyId': { name: 'Name' },
  'POST /keys/:keyId/replacement': { name: 'Name', graceSeconds: 3_600 },
  'POST /campaigns': { settings },
  'PUT /campaigns/:campaignId': { settings: { ...settings, id: campaignId }, revision: 'x' },
  'PUT /campaigns/:campaignId/archive': { isArchived: false, sawDraft: true },
  'POST /timer-picture': { style: { font: 'Inter' }, language: 'en', secondsLeft: 10 },
  'POST /preview': { settings, own: '2027-01-01T00:00', visitAfter: 'PT1H' },
  'POST /campaigns/:campaignId/leads': { email },
  'POST /campaigns/:campaignId/test-mail': { ref: 'a'.repeat(32), link: 0, isSent: false },
  'POST /campaigns/:campaignId/leads/import': { emails: [email] },
  'POST /campaigns/:campaignId/leads/import/trial': { emails: [email] },
  'POST /campaigns/:campaignId/leads/search': search,
  'POST /campaigns/:campaignId/leads/export': search,
  'POST /campaigns/:campaignId/leads/erasure': { refs: ['a'.repeat(32)] },
  'PUT /campaigns/:campaignId/leads/deadlines': { refs: ['a'.repeat(32)], to: '2027-01-01T00:00' },
  'POST /campaigns/:campaignId/leads/:ref/conversions': { orderId: '1001', amount: '49.00', currency: 'EUR' },
  'POST /campaigns/:campaignId/conversions/reversal': { orderId: '1001', reopen: false },
  'POST /person': { email },
  'POST /webhooks': webhook,
  'PATCH /webhooks/:endpointId': webhook,
  'POST /webhooks/:endpointId/secret': { graceHours: 1 },
  'POST /webhooks/:endpointId/resume': { from: 'now' },
  'POST /webhooks/:endpointId/resend': { eventId: `evt_${'0'.repeat(32)}` },
  'POST /person/erasure': { email },
}

/** The value with a NUL in one of its texts, for each text that it has. */
function* planted(value: unknown): Generator<unknown> {
  if (typeof value === 'string') yield* someOf([`${value}\0`, '\0'], 1)
  else if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) for (const other of planted(one)) yield value.with(index, other)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, one] of Object.entries(value)) for (const other of planted(one)) yield { ...value, [name]: other }
  }
}

const ids: Record<string, string> = {
  campaignId: String(campaignId),
  keyId,
  userId: '1',
  invitationId: 'a'.repeat(64),
  ref: 'a'.repeat(32),
  endpointId,
  sessionId: 'a'.repeat(64),
}
const pathOf = (path: string, named = ids) => path.replace(/:(\w+)/g, (_, name) => named[name] ?? '1')

test('a NUL or half a surrogate pair in a name is 422', async () => {
  for (const route of ['PATCH /account', 'POST /keys', 'PATCH /keys/:keyId', 'POST /keys/:keyId/replacement']) {
    const [method = '', path = ''] = route.split(' ')
    for (const name of ['\0', 'Name\0', '\0Name', '\ud83d', 'Na\ud83dme', 'Name\ude00']) {
      const { status, body } = await ask(method, pathOf(path), { ...(bodies[route] as object), name })
      assert.deepEqual([route, status, body.code], [route, 422, 'INVALID'])
    }
  }
})

test('a NUL in any text of any route of the panel breaks nothing', async () => {
  const taken: string[] = []
  for (const [route, { body, query }] of Object.entries(routes)) {
    const [method = '', path = ''] = route.split(' ')
    if (body !== undefined) assert.ok(bodies[route], `${route}: give a body`)
    for (const one of planted(bodies[route])) {
      const { status } = await ask(method, pathOf(path), one)
      assert.ok(status < 500, `${route}: ${status} for ${JSON.stringify(one)}`)
      if (status < 300) taken.push(route)
    }
    for (const name of Object.keys((query as { properties?: object } | undefined)?.properties ?? {})) {
      const { status } = await ask(method, `${pathOf(path)}?${name}=%00`)
      assert.equal(status, 422, `${route}?${name}`)
    }
    for (const [, name = ''] of path.matchAll(/:(\w+)/g)) {
      for (const nul of someOf([`${ids[name]}%00`, '%00'], 1)) {
        const { status } = await ask(method, pathOf(path, { ...ids, [name]: nul }), bodies[route])
        assert.equal(status, 404, `${route} ${name}`)
      }
    }
  }
  // Emails of an import are refused one by one, and texts of a preview are kept nowhere.
  assert.deepEqual(
    taken.filter((route) => !/import(?:\/trial)?$|preview$/.test(route)),
    [],
  )
})

test('a NUL in a request of the public API or of a visitor breaks nothing', async () => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const api = '/api/public/v1/campaigns'
  const leads = `${api}/${campaignId}/leads`
  const visitor = `/visitor/v1/campaigns/${campaignId}`
  const gets = [`${api}?afterId=%00`, `${api}?limit=%00`, `${api}?%00=1`, '/go/1/%00', '/go/%00/x', '/timer/en/%00.gif']
  for (const path of gets) {
    const { status } = await fetch(server.origin + path, { headers, redirect: 'manual' })
    assert.ok(status < 500, `${path}: ${status}`)
  }
  const client = 'a'.repeat(32)
  const asked: [path: string, body: unknown][] = [
    [leads, { email, language: 'en' }],
    [`${leads}/lookup`, { email, language: 'en' }],
    [`${visitor}/offer`, { lc: client, client, visit: true, page: 'https://example.com/offer' }],
    [`${visitor}/leads`, { email, lc: client, client, website: '' }],
  ]
  for (const [path, body] of asked) {
    for (const one of [...planted(body), { ...(body as object), '\0': '' }]) {
      const { status } = await fetch(server.origin + path, { method: 'POST', headers, body: JSON.stringify(one) })
      assert.ok(status < 500, `${path}: ${status} for ${JSON.stringify(one)}`)
    }
  }
  for (const path of [`${api}/%00/leads`, `${api}/${campaignId}%00/leads`]) {
    const { status } = await fetch(server.origin + path, { method: 'POST', headers, body: JSON.stringify({ email }) })
    assert.equal(status, 422, path)
  }
})

test('a NUL in a file for the command line is exit 2', async () => {
  const apply = ['campaign', 'apply', '--account', String(accountId), '-']
  const { code, stderr } = await place.runShared(apply, campaignFile({ name: 'Name\0' }))
  assert.equal(code, 2, stderr)
  assert.match(stderr, /name: must be/)
  const leads = ['lead', 'import', '--campaign', String(campaignId), '-']
  const { created, refused } = await place.json(leads, 'email\nada\0@example.com\nbob@example.com\0\n')
  assert.deepEqual([created, refused.length], [0, 2])
})
