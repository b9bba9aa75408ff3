// The panel's API from outside: a matrix made from its route table.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { mayAs, type Role, roles } from '../../src/core/role.ts'
import type { Route } from '../../src/http/panel/route.ts'
import { routes } from '../../src/http/panel/routes.ts'
import { isFull, someOf } from '../support/faults.ts'
import { campaignFile } from '../support/lastcall.ts'
import { comesTrue } from '../support/prepared.ts'
import { assertUntroubled, type Person, sharedStage } from './stage.ts'

const stage = await sharedStage()
const [owner, stranger] = [await stage.person('owner'), await stage.person('stranger')]
/** Of sessions, by email: none of these tests ends one. */
const cookies = new Map<string, string>()
/** Of the owner's account, and of another. */
const colleagues = await byRole(owner)
const strangers = await byRole(stranger)
const account = String(owner.accountId)
const campaign = await stage.place.json(
  ['campaign', 'apply', '--account', account, '-'],
  campaignFile({ name: 'Course of the owner' }),
)
const key = await stage.place.json(['key', 'create', '--account', account, '--name', 'server'])
await stage.place.json(['lead', 'import', '--campaign', String(campaign.id), '-'], 'email\nlead@example.com\n')
const lead = await stage.place.json([
  ...['lead', 'show', '--campaign', String(campaign.id), '--email', 'lead@example.com'],
])

const webhook = await stage.place.json([
  ...['webhook', 'create', '--account', account, '--name', 'Hook of the owner', '--url', 'https://example.com/'],
  ...['--kinds', 'lead.registered'],
])

/** The id under which a session stands in the list. */
async function sessionOf({ email, password }: Person): Promise<string> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ email, password })
  const answer = await fetch(`${stage.server.origin}/panel/api/session`, { method: 'POST', headers, body })
  const [, token = ''] = /^lastcall-[^=]+=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '') ?? []
  return createHash('sha256').update(token).digest('hex')
}

/** Things of the owner for every name that stands in a path. */
const named: Record<string, string> = {
  campaignId: String(campaign.id),
  pageId: String(campaign.pages[0].id),
  keyId: key.id,
  ref: lead.ref,
  leadRef: lead.ref,
  userId: await idOf(owner),
  invitationId: await invited(),
  endpointId: String(webhook.id),
  sessionId: await sessionOf(owner),
}

async function byRole(of: Person): Promise<Record<Role, Person>> {
  return { owner: of, member: await stage.colleague(of, 'member'), viewer: await stage.colleague(of, 'viewer') }
}

async function idOf({ email }: Person): Promise<string> {
  const { users } = JSON.parse((await ask('GET /users', { cookie: await signedIn(owner) })).text)
  return String(users.find((one: { email: string }) => one.email === email).id)
}

async function invited(): Promise<string> {
  const cookie = await signedIn(owner)
  await ask('POST /invitations', { cookie }, { role: 'owner' })
  return JSON.parse((await ask('GET /invitations', { cookie })).text).invitations[0].id
}

type Answered = { status: number; code: string; text: string; cookie: string }

async function ask(route: string, headers: Record<string, string> = {}, body?: unknown): Promise<Answered> {
  const [method = '', pattern = ''] = route.split(' ')
  const path = pattern.replace(/:(\w+)/g, (_, name) => {
    assert.ok(named[name], `${route}: give ${name} of the owner`)
    return named[name] as string
  })
  const answer = await fetch(`${stage.server.origin}/panel/api${path}`, {
    method,
    // An address of its own: from one only thirty may sign in a minute.
    headers: { 'content-type': 'application/json', 'x-forwarded-for': '192.0.2.9', ...headers },
    ...(method !== 'GET' && { body: JSON.stringify(body ?? {}) }),
  })
  const text = await answer.text()
  const code = text === '' ? '' : JSON.parse(text).code
  return { status: answer.status, code, text, cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' }
}

async function signedIn({ email, password }: Person): Promise<string> {
  const cookie = cookies.get(email) ?? (await ask('POST /session', {}, { email, password })).cookie
  cookies.set(email, cookie)
  return cookie
}

const table: [name: string, route: Route][] = Object.entries(routes)
const behindSession = table.filter(([, { access }]) => access !== 'anybody').map(([name]) => name)

test('every route but those for coming in wants a session', async () => {
  assert.deepEqual(
    table.filter(([, { access }]) => access === 'anybody').map(([name]) => name),
    [
      ...['GET /session', 'POST /session', 'DELETE /session', 'POST /invitation', 'POST /users'],
      ...['POST /password-resets', 'POST /password-reset', 'PUT /password-reset', 'POST /provider'],
      'POST /session/code',
    ],
  )
  const [name] = (await signedIn(owner)).split('=')
  for (const route of behindSession) {
    const { status, code } = await ask(route)
    assert.deepEqual([route, status, code], [route, 401, 'SIGNED_OUT'])
    const guessed = await ask(route, { cookie: `${name}=${'A'.repeat(43)}` })
    assert.equal(guessed.status, 401, route)
  }
})

test('a page of another origin gets nothing done, whatever cookie its visitor has', async () => {
  const cookie = await signedIn(owner)
  const foreign: Record<string, string>[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: stage.server.origin },
  ]
  for (const [index, [route]] of table.entries()) {
    // In the short form one of them by turns.
    for (const headers of isFull ? foreign : foreign.slice(index % 4, (index % 4) + 1)) {
      const { status, code } = await ask(route, { cookie, ...headers })
      assert.deepEqual([route, status, code], [route, 403, 'FOREIGN_ORIGIN'])
    }
  }
  assert.equal((await ask('GET /campaigns/:campaignId', { cookie })).status, 200)
})

test('what belongs to another account looks as if it did not exist, by every route that names something', async () => {
  const naming = behindSession.filter((route) => route.includes('/:'))
  assert.ok(naming.length > 3)
  for (const role of roles) {
    const cookie = await signedIn(strangers[role])
    for (const route of naming) {
      const { status, code } = await ask(route, { cookie }, bodyFor(route))
      const refused = mayUse(role, route) ? [404, 'NOT_FOUND'] : [403, 'NOT_ALLOWED']
      assert.deepEqual([role, route, status, code], [role, route, ...refused])
    }
  }
  const mine = await signedIn(owner)
  assert.equal((await ask('GET /campaigns/:campaignId', { cookie: mine })).status, 200)
})

test('each role may call what its routes say, and nothing above', async () => {
  for (const role of roles) {
    const cookie = await signedIn(colleagues[role])
    for (const route of behindSession) {
      // It has no name and no body: it would end the very sessions of this test.
      if (route === 'DELETE /sessions') continue
      // Of those who may, what they ask is wrong, or about nothing: it changes nothing either.
      const asked = route.startsWith('GET ') ? `${route}${queries[route] ?? ''}` : route.replace(/:\w+/g, '999')
      const { status, code } = await ask(asked, { cookie }, { isNothing: true })
      if (!mayUse(role, route)) assert.deepEqual([role, route, status, code], [role, route, 403, 'NOT_ALLOWED'])
      else
        assert.ok(
          route.startsWith('GET ') ? status === 200 : [404, 422].includes(status),
          `${role} ${route} ${status}: if it needs a query, add one to \`queries\``,
        )
    }
  }
})

test('users, keys, webhooks and the account are the owners’, and a viewer changes nothing', () => {
  const owners = table.filter(([name]) => /^(?!GET )\S+ \/(?:users\/|invitations|keys|webhooks|account)/.test(name))
  assert.ok(owners.length > 15)
  for (const [name, { access }] of owners) assert.equal(access, 'owner', name)
  const secrets = table.filter(([name]) => /^GET \/(?:invitations|audit)/.test(name))
  assert.deepEqual(new Set(secrets.map(([, { access }]) => access)), new Set(['owner']))
  const viewers = table.filter(([name, route]) => route.access === 'viewer' && !name.startsWith('GET '))
  const aboutThemselves = /^\S+ \/(?:password|factor|sessions)/
  // The others read, and are given what stands in no address.
  assert.deepEqual(
    viewers.map(([name]) => name).filter((name) => !aboutThemselves.test(name)),
    ['POST /timer-picture', 'POST /campaigns/:campaignId/leads/search', 'POST /person', 'POST /preview'],
  )
})

test('a route without a role does not compile', () => {
  const bare = {
    path: 'GET /bare',
    reads: true,
    query: undefined,
    body: undefined,
    bodyLimit: 0,
    run: async () => ({}),
  }
  // @ts-expect-error nobody said who may call it
  const route: Route = bare
  assert.equal(route.access, undefined)
})

test('a viewer has no export of leads: not by its route, and not by long pages of the list', async () => {
  const search = { prefix: '', state: null, afterEmail: '' }
  const [cookie, members] = [await signedIn(colleagues.viewer), await signedIn(colleagues.member)]
  const list = 'POST /campaigns/:campaignId/leads/search'
  const exported = 'POST /campaigns/:campaignId/leads/export'
  assert.equal((await ask(exported, { cookie }, { ...search, limit: 1 })).code, 'NOT_ALLOWED')
  assert.equal((await ask(list, { cookie }, { ...search, limit: 52 })).code, 'NOT_ALLOWED')
  const page = await ask(list, { cookie }, { ...search, limit: 51 })
  assert.equal(page.status, 200)
  assert.match(page.text, /"lead@example\.com"/)
  assert.equal((await ask(exported, { cookie: members }, { ...search, limit: 1_000 })).status, 200)
})

const mayUse = (role: Role, name: string) => {
  const { access } = (routes as Record<string, Route>)[name] as Route
  return access === 'anybody' || mayAs(access, role)
}

/** What an answer tells of the owner, for every reading route that has no name in its path; null where nothing. */
const telling: Record<string, string | null> = {
  'GET /users': `"${owner.email}"`,
  'GET /invitations': '"invitedBy":',
  'GET /audit': `"${campaign.name}"`,
  'GET /audit/choices': `"${owner.email}"`,
  'GET /factor': null,
  'GET /sessions': named.sessionId as string,
  'GET /overview': `"${campaign.name}"`,
  'GET /first-steps': '"isDone":true,',
  'GET /campaigns': `"${campaign.name}"`,
  'GET /campaign-figures': '"leads":1,',
  'GET /timer-styles': null,
  'GET /reference': '"rateLimit":77,',
  'GET /keys': key.id,
  'GET /history/choices': key.id,
  'GET /history': key.id,
  'GET /history/keys': key.id,
  'GET /history/counts': '"succeeded":1,',
  'GET /mail-services': null,
  'GET /time-zones': null,
  'GET /clock-changes': null,
  'GET /webhooks': `"${webhook.name}"`,
}

const queries: Record<string, string> = {
  'GET /audit': '?limit=50',
  'GET /history': '?limit=50',
  'GET /campaign-figures': `?ids=${campaign.id}`,
  'GET /clock-changes': '?timeZone=Europe%2FWarsaw&decade=2020',
}

test('what belongs to another account is in no answer of a route that names nothing', async () => {
  const reading = behindSession.filter((route) => route.startsWith('GET ') && !route.includes('/:'))
  assert.deepEqual(reading.toSorted(), Object.keys(telling).toSorted(), 'what a new route tells belongs into `telling`')
  await stage.place.json(['account', 'set', account, '--rate-limit', '77'])
  const headers = { authorization: `Bearer ${key.key}` }
  assert.equal((await fetch(`${stage.server.base}/campaigns`, { headers })).status, 200)
  const [mine, theirs] = [await signedIn(owner), await signedIn(stranger)]
  for (const [route, thing] of Object.entries(telling)) {
    const path = `${route}${queries[route] ?? ''}`
    const askedBy = (cookie: string) => ask(path, { cookie })
    // The history is written some time after the answers.
    const isTold = async () => thing === null || (await askedBy(mine)).text.includes(thing)
    assert.ok(await comesTrue(10_000, isTold, 200), `${route} tells the owner nothing`)
    const { status, text } = await askedBy(theirs)
    assert.equal(status, 200, route)
    for (const one of Object.values(telling)) assert.ok(one === null || !text.includes(one), `${route}: ${one}`)
  }
})

test('addresses that would run a script are refused by name, wherever a campaign has one', async () => {
  const cookie = await signedIn(owner)
  const { settings, revision } = JSON.parse((await ask('GET /campaigns/:campaignId', { cookie })).text)
  const [page] = settings.pages
  const script = 'javascript:alert(1)'
  const wrong: Record<string, object> = {
    'pages[0].pageUrl': { pages: [{ ...page, pageUrl: script }] },
    'pages[0].proxyUrl': { pages: [{ ...page, proxyUrl: script }] },
    'onExpiry.redirectUrl': { onExpiry: { action: 'REDIRECT', redirectUrl: script } },
  }
  for (const [path, changes] of Object.entries(wrong)) {
    const { id: _, ...changed } = { ...settings, ...changes }
    for (const [route, body] of [
      ['POST /campaigns', { settings: changed }],
      ['PUT /campaigns/:campaignId', { settings: { ...settings, ...changes }, revision }],
    ] as const) {
      const { status, text } = await ask(route, { cookie }, body)
      assert.equal(status, 422, `${route} ${path}`)
      assert.deepEqual(
        JSON.parse(text).faults.map((fault: { path: string }) => fault.path),
        [path],
      )
      assert.ok(!text.includes('alert'))
    }
  }
  assert.equal(JSON.parse((await ask('GET /campaigns/:campaignId', { cookie })).text).revision, revision)
})

/** A body that the route takes, so that only the tenant stands in its way. */
function bodyFor(route: string): unknown {
  const search = { prefix: '', afterEmail: '', state: null, limit: 10 }
  const bodies: Record<string, unknown> = {
    'PUT /campaigns/:campaignId': { settings: {}, revision: '' },
    'PUT /campaigns/:campaignId/archive': { isArchived: true, sawDraft: false },
    'PATCH /users/:userId': { role: 'viewer' },
    'PATCH /keys/:keyId': { name: 'mine now' },
    'POST /keys/:keyId/replacement': { name: 'mine now', graceSeconds: 3_600 },
    'POST /campaigns/:campaignId/leads/search': search,
    'POST /campaigns/:campaignId/leads/export': search,
    'POST /campaigns/:campaignId/test-mail': { ref: 'a'.repeat(32), link: 0, isSent: false },
    'POST /campaigns/:campaignId/leads': { email: 'mine@example.com' },
    'POST /campaigns/:campaignId/leads/import': { emails: ['mine@example.com'] },
    'POST /campaigns/:campaignId/leads/import/trial': { emails: ['mine@example.com'] },
    'POST /campaigns/:campaignId/leads/erasure': { refs: [lead.ref] },
    'PUT /campaigns/:campaignId/leads/deadlines': { refs: [lead.ref], to: 'rule' },
    'PATCH /webhooks/:endpointId': { name: 'mine now' },
    'POST /webhooks/:endpointId/secret': { graceHours: 0 },
    'POST /webhooks/:endpointId/resume': { from: 'now' },
    'POST /webhooks/:endpointId/resend': { eventId: `evt_${'0'.repeat(32)}` },
    'POST /campaigns/:campaignId/leads/:ref/conversions': { orderId: '1001' },
    'POST /campaigns/:campaignId/conversions/reversal': { orderId: '1001', reopen: false },
  }
  return bodies[route]
}

test('the pages come with a policy that lets no script in but their own', async () => {
  const answer = await fetch(stage.server.origin, { headers: { accept: 'text/html' } })
  const policy = answer.headers.get('content-security-policy') ?? ''
  assert.match(policy, /^default-src 'none';script-src 'self';/)
  assert.doesNotMatch(policy.split('img-src')[0] ?? '', /unsafe|\*|data:/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(await answer.text(), /<script(?![^>]* src=)/)
  const outside = await fetch(`${stage.server.origin}/panel/assets/../../../package.json`)
  assert.equal(outside.status, 404)
  const encoded = await fetch(`${stage.server.origin}/panel/assets/..%2f..%2f..%2fpackage.json`)
  assert.equal(encoded.status, 404)
})

test('style elements bear the nonce of their document; one without it is refused', async () => {
  const nonceOf = async () => {
    const answer = await fetch(stage.server.origin, { headers: { accept: 'text/html' } })
    const [, nonce] = /'nonce-([^']+)'/.exec(answer.headers.get('content-security-policy') ?? '') ?? []
    assert.ok((await answer.text()).includes(`<meta property="csp-nonce" nonce="${nonce}" />`))
    return nonce
  }
  assert.notEqual(await nonceOf(), await nonceOf())
  const page = await stage.open(owner, { path: '/integrations' })
  // The library behind a dialog writes a style of its own.
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByRole('dialog').waitFor()
  const looks = await page.evaluate(() => ({
    colour: getComputedStyle(document.documentElement).getPropertyValue('--mantine-color-text'),
    overflow: getComputedStyle(document.body).overflow,
  }))
  assert.ok(looks.colour !== '')
  assert.equal(looks.overflow, 'hidden')
  assertUntroubled(page)
  const refused = await page.evaluate(() => {
    const breach = new Promise((resolve) => {
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective))
    })
    document.head.append(Object.assign(document.createElement('style'), { textContent: 'body{opacity:0}' }))
    return breach
  })
  assert.equal(refused, 'style-src-elem')
})

test('planted scripts in names and addresses never run', async () => {
  const planted = '<img src=x onerror="document.title=`pwned`"><script>document.title=`pwned`</script>'
  const person = await stage.person('planted')
  const of = String(person.accountId)
  const file = campaignFile({
    name: planted,
    pages: [{ pageUrl: 'https://x.pl/?%3Cscript%3Ealert(1)%3C/script%3E' }],
  })
  const { id } = await stage.place.json(['campaign', 'apply', '--account', of, '-'], file)
  await stage.place.json(['key', 'create', '--account', of, '--name', planted])
  assert.equal((await ask('PATCH /account', { cookie: await signedIn(person) }, { name: planted })).status, 200)
  const assertHarmless = async (page: Page) => {
    await page.waitForLoadState('networkidle')
    assert.notEqual(await page.title(), 'pwned')
    assertUntroubled(page)
  }
  const screens = [
    `/campaigns/${id}/pages`,
    '/',
    `/campaigns/${id}/rules`,
    `/campaigns/${id}/timer`,
    `/campaigns/${id}`,
    '/integrations',
    '/integrations/history',
    '/integrations/reference',
    '/campaigns',
    '/settings',
    '/settings/audit',
    '/settings/users',
    '/settings/security',
  ]
  const [first, ...others] = someOf(screens, 3)
  const page = await stage.open(person, { path: first as string })
  await assertHarmless(page)
  for (const path of others) {
    await page.goto(path)
    await assertHarmless(page)
  }
})

test('no log line and no error has a password, a token or an email', async () => {
  const password = 'a planted password of a person'
  await ask('POST /session', {}, { email: 'planted-person@example.com', password })
  await ask('POST /users', {}, { token: 'planted-token', email: 'planted-person@example.com', password })
  const refused = await ask('POST /session', {}, { email: 'planted-person@', password, more: 'planted-more' })
  assert.equal(refused.status, 422)
  for (const secret of ['planted-person', password, 'planted-token', owner.password]) {
    assert.ok(!stage.server.output().includes(secret), secret)
    assert.ok(!refused.text.includes(secret), secret)
  }
})
