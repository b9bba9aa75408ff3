// The panel as HTTP: what is refused before a route runs, cookies, pages and files.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { topicOf } from '../../panel/src/parts/help-topic.ts'
import { screens, screensBehindSession } from '../../src/http/panel/pages.ts'
import { tester } from '../support/actor.ts'
import type { Installation } from '../support/lastcall.ts'
import { httpsServer, plainServer } from '../support/panel-session.ts'
import { createUser } from '../support/users.ts'

const who = { email: 'reader@example.com', password: 'long enough for a test' }

const makeUser = (place: Installation) =>
  place.arrange(async (store) => {
    const { id } = await store.configuration.createAccount('Owner', tester)
    await createUser(store, id, { ...who, role: 'owner' })
  })

const { place, server } = await plainServer()
await makeUser(place)
const { place: below, server: secure } = await httpsServer()
await makeUser(below)

const assets = join(import.meta.dirname, '../../panel/dist/panel/assets')
const json = { 'content-type': 'application/json' }

function ask(path: string, given: RequestInit = {}, { origin } = server): Promise<Response> {
  return fetch(`${origin}${path}`, given)
}

async function cookieOfSignIn(origin = server): Promise<string> {
  const given = { method: 'POST', headers: json, body: JSON.stringify(who) }
  const answer = await ask('/panel/api/session', given, origin)
  assert.equal(answer.status, 200, await answer.text())
  return answer.headers.get('set-cookie') ?? ''
}

test('a request that is refused before its route runs gets the body of the panel’s errors', async () => {
  const post = (body: string, headers: Record<string, string> = json): [string, RequestInit] => [
    ...(['/panel/api/session', { method: 'POST', headers, body }] as const),
  ]
  const refused: Record<string, [string, RequestInit]> = {
    '403 FOREIGN_ORIGIN': post('{', { ...json, origin: 'https://evil.example' }),
    '401 SIGNED_OUT': ['/panel/api/keys', { method: 'POST', headers: json, body: '{' }],
    '415 UNSUPPORTED_MEDIA_TYPE': post(JSON.stringify(who), { 'content-type': 'text/plain' }),
    '413 PAYLOAD_TOO_LARGE': post(' '.repeat(65_537)),
    '400 INVALID_JSON': post('{"email":'),
    '422 INVALID': post('{}'),
  }
  for (const [name, [path, given]] of Object.entries(refused)) {
    const answer = await ask(path, given)
    const { code, requestId, faults, retryAfterSeconds, ...more } = (await answer.json()) as any
    assert.equal(`${answer.status} ${code}`, name.split(' of ')[0])
    assert.equal(requestId, answer.headers.get('x-request-id'))
    const places: Record<string, string[]> = { INVALID: ['email'], FOREIGN_ORIGIN: ['PUBLIC_URL'] }
    assert.deepEqual(
      faults.map(({ path }: { path: string }) => path),
      places[code] ?? [],
      name,
    )
    assert.deepEqual([retryAfterSeconds, more], [null, {}])
    const head = ['cache-control', 'x-content-type-options', 'referrer-policy']
    assert.deepEqual(
      head.map((one) => answer.headers.get(one)),
      ['no-store', 'nosniff', 'no-referrer'],
    )
  }
})

test('a route that asks for no body takes none, whatever is sent', async () => {
  for (const body of ['{', 'x'.repeat(1_000_000)]) {
    const answer = await ask('/panel/api/session', { method: 'DELETE', headers: json, body })
    assert.equal(answer.status, 200)
  }
})

test('the session’s cookie is for this host alone, and for encrypted connections where it can be', async () => {
  const inPlain = await cookieOfSignIn()
  assert.match(inPlain, /^lastcall-[\da-f]{8}=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/)
  const inHttps = await cookieOfSignIn(secure)
  assert.match(
    inHttps,
    /^__Host-lastcall-[\da-f]{8}=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  const [one, another] = [inPlain, inHttps].map((cookie) => cookie.split('=')[0]?.split('-').at(-1))
  assert.notEqual(one, another, 'installations on one host share none')
  const headers = { cookie: `other=1; ${inHttps.split(';')[0]}` }
  const session = await ask('/panel/api/session', { headers }, secure)
  assert.equal(((await session.json()) as any).signedIn, true)
  const ended = await ask('/panel/api/session', { method: 'DELETE', headers }, secure)
  assert.match(ended.headers.get('set-cookie') ?? '', /^__Host-lastcall-[\da-f]{8}=; Max-Age=0; Path=\//)
  const again = await ask('/panel/api/session', { headers }, secure)
  assert.equal(((await again.json()) as any).signedIn, false)
})

test('a tab that belongs to another user than the session is answered as if there were no session', async () => {
  const headers = { cookie: (await cookieOfSignIn()).split(';')[0] as string }
  const { user } = (await (await ask('/panel/api/session', { headers })).json()) as any
  const statusAs = async (id: number) =>
    (await ask('/panel/api/keys', { headers: { ...headers, 'lastcall-user': String(id) } })).status
  assert.deepEqual([await statusAs(user.id), await statusAs(user.id + 1)], [200, 401])
})

const html = { accept: 'text/html,*/*' }

test('the addresses of screens give browsers the document, and programs the contract’s error', async () => {
  for (const path of ['/', '/sign-in', '/campaigns/7/pages', '/settings/']) {
    const page = await ask(path, { headers: html })
    assert.deepEqual([page.status, page.headers.get('cache-control')], [200, 'no-cache'], path)
    assert.match(await page.text(), /<base href="\/">/)
    assert.equal(page.headers.get('x-frame-options'), 'DENY')
  }
  const document = await ask('/campaigns', { headers: html }, secure)
  assert.match(await document.text(), /<base href="\/lastcall\/">/)
  const unknown = await ask('/nothing', { headers: html })
  assert.deepEqual([unknown.status, unknown.headers.get('x-frame-options')], [404, 'DENY'])
  assert.match(await unknown.text(), /<base href="\/">/)
  const programs = ['application/json', 'application/json, text/html;q=0.5', '*/*']
  for (const path of ['/campaigns', '/nothing', '/widget/nothing', '/panel/api/nothing', '/panel/api/campaigns/01']) {
    for (const accept of programs) {
      const answer = await ask(path, { headers: { accept } })
      const { status, code } = (await answer.json()) as any
      assert.deepEqual([answer.status, status, code], [404, 'error', 'NOT_FOUND'], `${path}, ${accept}`)
    }
  }
  const unread = await ask('/panel/api/nothing', { method: 'POST', headers: json, body: '{' })
  assert.deepEqual([unread.status, ((await unread.json()) as any).code], [404, 'NOT_FOUND'])
})

test('every screen of the panel’s router has an address that is answered with the document', () => {
  const router = readFileSync(join(import.meta.dirname, '../../panel/src/app.tsx'), 'utf8')
  const paths = [...router.matchAll(/(?:\[|path=)['"](\/[^'"]*)['"]/g)].map(([, path = '']) => path.split('/')[1])
  assert.deepEqual(new Set(paths), new Set(['', ...screens]))
})

test('SECURITY.md lets through what the panel is made of, and every address that it names is there', async () => {
  const security = readFileSync(join(import.meta.dirname, '../../SECURITY.md'), 'utf8')
  const section = security.split('\n## What to close off\n')[1]?.split('\n## ')[0] ?? ''
  const lines = section.split('\n').filter((line) => line.startsWith('- Let through'))
  const named = lines.flatMap((line) => [...line.matchAll(/`(\/[^`]*)`/g)].map(([, path]) => path as string))
  const isLetThrough = (path: string) =>
    named.some((one) => one === path || (one !== '/' && `${path}/`.startsWith(`${one.replace(/\/$/, '')}/`)))
  const document = await (await ask('/', { headers: html })).text()
  const files = [...document.matchAll(/(?:src|href)="\.(\/[^"]+)"/g)].map(([, path]) => path as string)
  assert.ok(files.length > 1)
  const ofPanel = ['/', '/panel/api/session', ...files, ...screens.flatMap((screen) => [`/${screen}`, `/${screen}/x`])]
  const ofOthers = ['/api/public/v1/campaigns', '/go/1/x', '/timer/en/x.gif', '/widget/v1.js', '/visitor/v1/x']
  for (const path of [...ofPanel, ...ofOthers])
    assert.ok(isLetThrough(path), `${path}: add it to SECURITY.md, What to close off`)
  for (const path of ['/metrics', '/readyz', '/healthz', '/nothing']) assert.ok(!isLetThrough(path), path)
  for (const path of named.filter((one) => one === '/' || screens.includes(one.slice(1))))
    assert.equal((await ask(path, { headers: html })).status, 200, path)
})

/** OWASP's list of secure headers; the document's policy has a nonce besides. */
const owasp: Record<string, string | RegExp> = {
  'content-security-policy':
    /^default-src 'none';script-src 'self';style-src 'self'(?: 'nonce-[\w+/]{22}==')?;img-src /,
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': /^accelerometer=\(\), .*camera=\(\), .*clipboard-write=\(self\)/,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
}
const aYear = 'max-age=31536000'

test('the panel has OWASP’s secure headers; every answer has nosniff, and HSTS where the public URL is https', async () => {
  const script = readdirSync(assets).find((file) => file.endsWith('.js')) as string
  const ofPanel = ['/', '/sign-in', `/panel/assets/${script}`, '/panel/assets/nothing.js', '/panel/api/session']
  const others = ['/nothing', '/api/public/v1/campaigns', '/api/public/v1/openapi.json', '/go/1/x', '/timer/x', '/%zz']
  for (const path of [...ofPanel, ...others, '/panel/api/nothing', '/widget/v1.js', '/visitor/v1/x', '/healthz']) {
    for (const origin of [server, secure]) {
      const { headers } = await ask(path, { headers: html }, origin)
      assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
      assert.equal(headers.get('strict-transport-security'), origin === secure ? aYear : null, path)
      if (!ofPanel.includes(path)) continue
      for (const [name, value] of Object.entries(owasp)) {
        const given = headers.get(name) ?? ''
        assert.ok(typeof value === 'string' ? given === value : value.test(given), `${path}: ${name}: ${given}`)
      }
    }
  }
})

test('the document of each screen names its own files, and each has its help', async () => {
  const linksOf = async (path: string) => {
    const document = await (await ask(path, { headers: html })).text()
    return document.match(/<link rel="modulepreload"[^>]*>/g) ?? []
  }
  const common = new Set(await linksOf('/sign-in'))
  for (const path of ['/', ...screensBehindSession.map((screen) => `/${screen}`), '/campaigns/1', '/settings/users']) {
    const own = (await linksOf(path)).filter((link) => !common.has(link))
    assert.ok(own.length > 0, `${path}: make its screen a lazy import in panel/src/app.tsx`)
    assert.equal(topicOf(path) === 'overview', path === '/', `${path} has help`)
  }
})

test('long answers come compressed where that is asked for; bodies are taken as they are, and not unfolded', async () => {
  const cookie = (await cookieOfSignIn()).split(';')[0] as string
  const long = (coding: string) => ask('/panel/api/time-zones', { headers: { cookie, 'accept-encoding': coding } })
  const plain = await long('identity')
  assert.equal(plain.headers.get('content-encoding'), null)
  const expected = await plain.json()
  for (const coding of ['br', 'gzip']) {
    const answer = await long(coding)
    assert.equal(answer.headers.get('content-encoding'), coding)
    assert.deepEqual(await answer.json(), expected)
  }
  const short = await ask('/panel/api/session', { headers: { cookie, 'accept-encoding': 'br' } })
  assert.equal(short.headers.get('content-encoding'), null)
  const body = gzipSync(JSON.stringify({ ...who, email: 'a'.repeat(1_000_000) }))
  const headers = { ...json, 'content-encoding': 'gzip' }
  const refused = await ask('/panel/api/session', { method: 'POST', headers, body })
  assert.deepEqual([refused.status, ((await refused.json()) as any).code], [415, 'UNSUPPORTED_MEDIA_TYPE'])
})

test('the files that the build made come as it compressed them, to be kept for a year, and no others', async () => {
  const name = readdirSync(assets).find((file) => file.endsWith('.js')) as string
  const plain = readFileSync(join(assets, name), 'utf8')
  const asked: Record<string, (body: Buffer) => Buffer> = {
    br: brotliDecompressSync,
    gzip: gunzipSync,
    identity: (body) => body,
  }
  for (const [coding, decode] of Object.entries(asked)) {
    // Not by fetch, which would decode it.
    const answer = await ask(`/panel/assets/${name}`, {
      method: 'HEAD',
      headers: { 'accept-encoding': coding },
    })
    const get = (header: string) => answer.headers.get(header)
    assert.deepEqual([answer.status, get('cache-control')], [200, 'public, max-age=31536000, immutable'])
    assert.equal(get('content-encoding') ?? 'identity', coding)
    assert.match(get('content-type') ?? '', /javascript/)
    assert.match(get('vary') ?? '', /accept-encoding/i)
    const stored = readFileSync(join(assets, `${name}${{ br: '.br', gzip: '.gz' }[coding] ?? ''}`))
    assert.equal(get('content-length'), String(stored.length))
    assert.equal(decode(stored).toString('utf8'), plain)
  }
  assert.equal(await (await ask(`/panel/assets/${name}`)).text(), plain)
  // Conditions that do not hold are the client's fault, and none of ours that is logged.
  for (const [header, value, status] of [
    ['range', 'bytes=99999999-', 416],
    ['if-match', '"another"', 412],
  ] as const) {
    assert.equal((await ask(`/panel/assets/${name}`, { headers: { [header]: value } })).status, status)
  }
  assert.doesNotMatch(server.output(), /a request failed/)
  for (const path of ['', '.hidden', 'nothing.js', '..%2f..%2findex.html', '..%5cindex.html', 'a%00b']) {
    const answer = await ask(`/panel/assets/${path}`)
    assert.deepEqual([answer.status, ((await answer.json()) as any).code], [404, 'NOT_FOUND'], path)
  }
})
