// The gate, for the customer's own server.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { gate } from '../../src/http/visitor/gate.ts'
import type { VisitorParts } from '../../src/http/visitor/parts.ts'
import { type Answer, applyCampaign, eventually, openShop } from '../support/api.ts'
import { ask, open, random32, recipient } from '../support/recipient.ts'

const silent = { info() {}, warn() {}, error() {} }
const shop = openShop()
before(() => shop.opened)

const pathOf = (campaignId: number, query = '') => `/visitor/v1/campaigns/${campaignId}/gate${query}`

/** By header, or with `query` by the address. */
function pass(campaignId: number, ref: string, query = ''): Promise<Answer> {
  const headers = query === '' ? { 'Lastcall-Ref': ref } : {}
  return open(shop, pathOf(campaignId, query), { headers })
}

function holdGate(answer: Answer, status: number, state: string): void {
  const { headers, raw } = answer
  assert.deepEqual([answer.status, headers['lastcall-state'], raw.length], [status, state, 0])
  assert.equal(headers['access-control-allow-origin'], '*')
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.equal(headers.vary, 'Lastcall-Ref')
  if (status === 204) assert.equal(headers['content-length'], undefined)
  assert.match(headers['cache-control'] ?? '', status === 503 ? /^no-store$/ : /^max-age=([12]?\d|30)$/)
  assert.equal(headers['www-authenticate'], status === 401 ? 'Lastcall' : undefined)
}

async function inCampaign(mechanism: object, settings = {}) {
  const { id } = await applyCampaign(shop, { mechanism, ...settings })
  return { id, ...(await recipient(shop, { campaignId: id })) }
}

const fixed = (at: string, opensAt?: string) => ({
  startsOn: 'registration',
  deadline: { kind: 'fixed', at, ...(opensAt !== undefined && { opensAt }) },
})

test('lets in while the offer is open, waits for its visit or has no deadline; refuses before and after', async () => {
  for (const [mechanism, status, state] of [
    [{ startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' } }, 204, 'open'],
    [{ startsOn: 'visit', deadline: { kind: 'after', period: 'PT1H' } }, 204, 'pending'],
    [{ startsOn: 'registration', deadline: { kind: 'none' } }, 204, 'open'],
    [fixed('2099-01-02T00:00', '2099-01-01T00:00'), 403, 'scheduled'],
    [fixed('2020-01-01T00:00'), 403, 'expired'],
  ] as const) {
    const { id, ref, deadline } = await inCampaign(mechanism)
    const answer = await pass(id, ref)
    holdGate(answer, status, state)
    assert.equal(answer.headers['lastcall-deadline'], deadline ?? undefined)
    const left = deadline === null ? undefined : Math.max(0, Math.ceil((Date.parse(deadline) - Date.now()) / 1_000))
    const said = answer.headers['lastcall-seconds-left']
    assert.ok(left === undefined ? said === undefined : Math.abs(Number(said) - left) <= 2, `${said} for ${left}`)
    holdGate(await pass(id, ref, `?lc=${ref}`), status, state)
    const head = await open(shop, pathOf(id), { method: 'HEAD', headers: { 'Lastcall-Ref': ref } })
    holdGate(head, status, state)
  }
})

test('an offer that comes again says when', async () => {
  const cycle = { enabled: true, pause: 'P1D' }
  const { id, ref, deadline } = await inCampaign({
    ...{ startsOn: 'registration', deadline: { kind: 'after', period: 'PT48H' }, cycle },
  })
  const { headers } = await pass(id, ref)
  const next = Date.parse(headers['lastcall-next-at'] as string)
  assert.ok(next > Date.parse(deadline as string))
})

test('a visitor at the till may finish within the grace, whose seconds are checked', async () => {
  const { id, ref, email } = await inCampaign({ startsOn: 'registration', deadline: { kind: 'after', period: 'PT1H' } })
  const at = new Date(Date.now() - 100_000).toISOString().replace(/\.\d+/, '')
  await shop.place.json(['lead', 'deadline', '--campaign', String(id), '--email', email, '--at', at])
  holdGate(await pass(id, ref, `?lc=${ref}&grace=3600`), 204, 'grace')
  const soonOver = await pass(id, ref, `?lc=${ref}&grace=125`)
  holdGate(soonOver, 204, 'grace')
  assert.ok(Number(soonOver.headers['cache-control']?.split('=')[1]) <= 25, 'nobody keeps it for longer')
  holdGate(await pass(id, ref, `?lc=${ref}&grace=60`), 403, 'expired')
  holdGate(await pass(id, ref, `?lc=${ref}&grace=0&utm_source=news`), 403, 'expired')
  for (const grace of ['3601', '-1', '1.5', '', '1e3', '60&grace=60', '00060', '01', '00']) {
    const answer = await open(shop, pathOf(id, `?lc=${ref}&grace=${grace}`))
    assert.deepEqual([answer.status, answer.body.code], [422, 'VALIDATION_ERROR'], grace)
    assert.match(answer.body.message, /grace must be a number of seconds from 0 to 3600/)
  }
})

test('without a ref of a lead of this campaign the visitor is unknown', async () => {
  const { id } = await applyCampaign(shop, { anonymous: { enabled: true } })
  const other = await recipient(shop)
  const { ref } = await recipient(shop, { campaignId: id })
  const client = random32()
  await ask(shop, 'offer', { client, visit: true }, { campaignId: id })
  const wrong = ['', 'x', client, random32(), other.ref, ref.toUpperCase(), `${ref}0`, `${ref}, ${ref}`]
  for (const text of wrong) {
    holdGate(await pass(id, text), 401, 'unknown')
    holdGate(await pass(id, '', `?lc=${encodeURIComponent(text)}`), 401, 'unknown')
  }
  holdGate(await pass(id, '', `?lc=${ref}&lc=${ref}`), 401, 'unknown')
  const many = Array.from({ length: 200 }, (_, n) => `utm_${n}=x`).join('&')
  holdGate(await pass(id, '', `?${many}&lc=${ref}&grace=9`), 204, 'open')
  assert.equal((await open(shop, pathOf(id, `?${many}&lc=${ref}&grace=x`))).status, 422)
  // What a proxy sets comes before what stands in an address.
  const both = await open(shop, pathOf(id, `?lc=${random32()}`), { headers: { 'Lastcall-Ref': ref } })
  holdGate(both, 204, 'open')
  const empty = await open(shop, pathOf(id, `?lc=${ref}`), { headers: { 'Lastcall-Ref': '' } })
  holdGate(empty, 204, 'open')
})

test('a draft, unavailable tools, a suspended account and no campaign at all: it cannot be said', async () => {
  const { id, ref } = await inCampaign({ startsOn: 'registration', deadline: { kind: 'none' } })
  const draft = await applyCampaign(shop, { isDraft: true })
  for (const campaignId of [draft.id, 999_999_999, 9_007_199_254_740_992])
    holdGate(await pass(campaignId, ref), 503, 'unavailable')
  const account = String(shop.owner.accountId)
  for (const [off, on] of [
    ['--countdown-tools=false', '--countdown-tools=true'],
    ['--suspended=true', '--suspended=false'],
  ] as const) {
    for (const [flag, status] of [
      [off, 503],
      [on, 204],
    ] as const) {
      await shop.place.json(['account', 'set', account, ...flag.split('=')])
      const answer = await eventually(
        1,
        () => pass(id, ref),
        (one) => one.status === status,
      )
      holdGate(answer, status, status === 503 ? 'unavailable' : 'open')
    }
  }
})

test('a page of another origin may ask, with the ref as a header', async () => {
  const answer = await open(shop, pathOf(1), { method: 'OPTIONS' })
  assert.equal(answer.status, 204)
  assert.equal(answer.headers['access-control-allow-headers'], 'Lastcall-Ref')
  assert.equal(answer.headers['access-control-allow-methods'], 'GET, HEAD')
})

test('a campaign may be asked about 60,000 times in a minute, any other one meanwhile, and the same in the next', async () => {
  // Without a server, which would take seconds.
  let handler: any
  let now = 60_000
  const visitors = { campaign: async (id: number) => ({ id }), leadIn: async () => undefined }
  const scope = {
    setErrorHandler() {},
    options() {},
    route(one: { handler: unknown }) {
      handler = one.handler
    },
  }
  await gate({ visitors, log: silent, now: () => now } as unknown as VisitorParts)(scope as any, {})
  const statuses: number[] = []
  const reply = {
    code(status: number) {
      statuses.push(status)
      return reply
    },
    headers: () => reply,
    send() {},
  }
  const askAbout = (campaignId: number) => handler({ params: { campaignId }, query: {}, headers: {} }, reply)
  for (let n = 0; n <= 60_000; n += 1) await askAbout(1)
  await askAbout(2)
  now = 120_000
  await askAbout(1)
  assert.deepEqual([statuses.indexOf(503), statuses.slice(-3)], [60_000, [503, 401, 401]])
})

/** What Next.js makes of it: the page, with these headers. Next.js itself takes 226 MB to install. */
const nextServer = `data:text/javascript,${encodeURIComponent(`export const NextResponse = {
  next: (answer) => new Response("The offer", answer),
  redirect: (url, status) => new Response(null, { status, headers: { location: String(url) } }),
}`)}`

const document_ = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'gate.md'), 'utf8')

/** The modules that docs/gate.md shows, for a campaign of this server. */
async function example(marker: string, campaignId: number, origin = shop.server.origin): Promise<any> {
  const blocks = [...document_.matchAll(/^```js\n(.*?)^```$/gms)].map(([, text]) => text as string)
  const text = blocks.find((block) => block.includes(marker)) as string
  const file = join(shop.place.folder, `${marker.replace(/\W/g, '')}-${campaignId}.mjs`)
  const ours = text
    .replace('https://offers.example.com', origin)
    .replace('/campaigns/1/', `/campaigns/${campaignId}/`)
    .replace("'express'", `'${import.meta.resolve('express')}'`)
    .replace("'next/server'", `'${nextServer}'`)
    .replace('listen(8081', 'listen(0')
  writeFileSync(file, ours)
  return (await import(pathToFileURL(file).href)).default
}

type Get = (query: string, cookie: string) => Promise<Response>

/** The gate cannot tell of a draft, and nobody listens at the other address. */
async function holdOpen(behind: (campaignId: number, origin?: string) => Promise<Get>): Promise<void> {
  const { id } = await applyCampaign(shop, { isDraft: true })
  for (const get of [await behind(id), await behind(0, 'http://127.0.0.1:2')])
    assert.equal(await (await get('', '')).text(), 'The offer')
}

/** Scripts off, copied addresses, other browsers: what a page behind the gate gives by link, cookie, or nothing. */
async function holdPage(get: Get, campaignId: number): Promise<void> {
  const { ref, email } = await recipient(shop, { campaignId })
  const said = async (query: string, cookie = '') => {
    const answer = await get(query, cookie)
    return [answer.status, answer.headers.get('location')?.replace(/^https?:..[^/]+/, '') ?? (await answer.text())]
  }
  const link = await get(`?lc=${ref}`, '')
  assert.deepEqual([link.status, await link.text()], [200, 'The offer'])
  assert.match(link.headers.get('set-cookie') ?? '', new RegExp(`^lastcall=${ref}; (?=.*HttpOnly)(?=.*Secure)`))
  assert.equal(link.headers.get('cache-control'), 'no-store')
  assert.deepEqual(await said('', `a=b; lastcall=${ref}`), [200, 'The offer'])
  assert.deepEqual(await said(''), [302, '/sign-up'])
  assert.deepEqual(await said(`?lc=${random32()}`, `lastcall=${ref}`), [302, '/sign-up'])
  const at = new Date(Date.now() - 700_000).toISOString().replace(/\.\d+/, '')
  await shop.place.json(['lead', 'deadline', '--campaign', String(campaignId), '--email', email, '--at', at])
  assert.deepEqual(await said('', `lastcall=${ref}`), [302, '/closed'])
  assert.deepEqual(await said(`?lc=${ref}`), [302, '/closed'])
}

test('docs/gate.md: the page behind Express is closed after the deadline, and open where it cannot be said', async (t) => {
  const { id } = await applyCampaign(shop, {})
  const listening = async (campaignId: number, origin?: string) => {
    const app = await example('express', campaignId, origin)
    const server = app.listen(0, '127.0.0.1')
    t.after(() => server.close())
    await once(server, 'listening')
    const address = `http://127.0.0.1:${server.address().port}/autumn-offer`
    return (query: string, cookie: string) => fetch(address + query, { redirect: 'manual', headers: { cookie } })
  }
  await holdPage(await listening(id), id)
  await holdOpen(listening)
})

test('docs/gate.md: the page behind a worker at the edge, too', async (t) => {
  const { id } = await applyCampaign(shop, {})
  const own = globalThis.fetch
  t.after(() => {
    globalThis.fetch = own
  })
  const site = 'https://shop.example.com/autumn-offer'
  const isOfSite = (what: unknown) => what instanceof Request && what.url.startsWith(site)
  globalThis.fetch = async (what, options) => (isOfSite(what) ? new Response('The offer') : own(what, options))
  const ask = async (campaignId: number, origin?: string) => {
    const worker = await example('export default {', campaignId, origin)
    return (query: string, cookie: string) => worker.fetch(new Request(site + query, { headers: { cookie } }))
  }
  await holdPage(await ask(id), id)
  await holdOpen(ask)
  // A route that ends in * is the only one that takes addresses with a query, and takes other pages too.
  assert.match(document_, /on the route `shop\.example\.com\/autumn-offer\*`/)
  const get = await ask(id)
  for (const path of ['/', '/?x', '.html', '%2F']) assert.equal((await get(path, '')).status, 302, path)
  for (const path of ['-2', '-2?x', 's/'])
    assert.equal(await (await get(path, `lastcall=${random32()}`)).text(), 'The offer', path)
})

test('docs/gate.md: the page behind Next.js, too', async () => {
  const { id } = await applyCampaign(shop, {})
  const site = 'https://shop.example.com/autumn-offer'
  const ask = async (campaignId: number, origin?: string) => {
    const proxy = await example('NextResponse', campaignId, origin)
    return (query: string, cookie: string) => proxy(new Request(site + query, { headers: { cookie } }))
  }
  await holdPage(await ask(id), id)
  await holdOpen(ask)
})

test('docs/gate.md: nginx and Caddy give the page at no other address, and what cannot be said to one place', () => {
  const block = (language: string) => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'ms').exec(document_)?.[1] ?? ''
  const [nginx, caddy] = [block('nginx'), block('caddy')]
  assert.match(nginx, /location = \/autumn-offer\.html \{ internal; \}/)
  assert.match(nginx, /location @open \{\s+add_header Set-Cookie \$lc_keep;/)
  // With headers without end anybody made the gate unable to answer, and was let in.
  assert.match(nginx, /location = \/_gate \{[^}]*proxy_pass_request_headers off;/)
  // A plain name was looked up once: when Lastcall moved, everybody was let in.
  assert.match(nginx, /^ {4}resolver .*;(?: +#.*)?\n {4}resolver_timeout 500ms;$/m)
  assert.match(nginx, /set \$lastcall offers\.example\.com;\n +proxy_pass https:\/\/\$lastcall\/visitor\//)
  assert.match(caddy, /max_header_size 12KB\n/)
  assert.match(caddy, /transport http \{[^}]*\bversions 1\.1\n/)
  // Without it the page hung where Lastcall's side took connections and said nothing.
  assert.match(caddy, /^\t+tls_timeout 500ms$/m)
  // A cookie of anybody's bytes would make a header that Lastcall refuses.
  const [, kept = ''] = /^map "\$lc_new \$cookie_lastcall" .* "~(.+)" \$1; /m.exec(nginx) ?? []
  const ref = '9b2f60c14be14f0f8f4c1d6f2f7a35c8'
  assert.ok(new RegExp(kept).test(` ${ref}`))
  for (const cookie of ['', '\x7f', `${ref}\x7f`]) assert.ok(!new RegExp(kept).test(` ${cookie}`))
  assert.equal(nginx.match(/\$cookie_lastcall/g)?.length, 1)
  assert.match(caddy, /header_up -Cookie\n/)
  // With the star: Caddy gave the file at /autumn-offer.html/. too.
  assert.match(caddy, /handle \/autumn-offer\.html\* \{\s+respond 404\s+\}/)
  // A 503 of the gate would be the visitor's answer.
  assert.match(caddy, /@unsaid status 5xx\s+handle_response @unsaid \{\s+error 503\s+\}/)
})

test('docs/gate.md: WordPress lets its editors in, and keeps no page of theirs for others', () => {
  const [, php = ''] = /^```php\n(.*?)^```$/ms.exec(document_) ?? []
  const steps = [
    "is_page('autumn-offer')",
    "define('DONOTCACHEPAGE'",
    'no-store',
    "current_user_can('edit_page'",
    '_status(',
  ]
  const places = steps.map((step) => php.indexOf(step))
  assert.deepEqual(
    places,
    places.filter((place) => place >= 0).sort((a, b) => a - b),
  )
})

test('docs/gate.md: the page behind the relay of Traefik, too', async (t) => {
  const { id } = await applyCampaign(shop, {})
  // What Traefik does: 2xx lets the page come, with the cookie; anything else goes to the visitor, with a Location that
  // is completed by the relay's own address.
  const ask = async (campaignId: number, origin?: string) => {
    const relay = await example('x-forwarded-uri', campaignId, origin)
    t.after(() => relay.close())
    if (!relay.listening) await once(relay, 'listening')
    return async (query: string, cookie: string) => {
      const headers = { cookie, 'X-Forwarded-Uri': `/autumn-offer${query}` }
      const answer = await fetch(`http://127.0.0.1:${relay.address().port}/`, { redirect: 'manual', headers })
      if (!answer.ok) {
        const { origin } = new URL(answer.headers.get('location') ?? '', answer.url)
        assert.equal(origin, 'https://shop.example.com')
        return answer
      }
      const kept = answer.headers.get('set-cookie')
      return new Response('The offer', {
        headers: { 'cache-control': 'no-store', ...(kept && { 'set-cookie': kept }) },
      })
    }
  }
  await holdPage(await ask(id), id)
  await holdOpen(ask)
  const [, yaml = ''] = /^```yaml\n(.*?)^```$/ms.exec(document_) ?? []
  assert.ok(yaml.includes('(Path(`/autumn-offer`) || Path(`/autumn-offer/`))'))
  // Without it the router takes plain HTTP alone.
  assert.match(yaml, /^ {6}tls: \{\}$/m)
})
