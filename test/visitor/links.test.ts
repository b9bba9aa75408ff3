// CTA links, as the contract's table has them.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Answer, applyCampaign, commandPauseMs, eventually, openShop } from '../support/api.ts'
import { open, random32, recipient } from '../support/recipient.ts'

const pageUrl = 'https://shop.example.com/offer?a=%20+x&lc=old&b#part'
const pages = [{ pageUrl }, { pageUrl, proxyUrl: 'http://127.0.0.1:9/gate' }]
const shop = openShop()
let evergreen = 0
before(async () => {
  await shop.opened
  evergreen = (await applyCampaign(shop, { pages })).id
})

const deadlineOf = (email: string, at: string, campaignId: number) =>
  shop.place.json(['lead', 'deadline', '--campaign', String(campaignId), '--email', email, '--at', at])

/** What stands on whatever a link answers. */
function holdHeaders({ headers, raw, method }: Answer): void {
  assert.equal(headers['cache-control'], 'no-store, no-cache, must-revalidate, max-age=0')
  assert.equal(headers['referrer-policy'], 'no-referrer')
  assert.equal(headers['x-robots-tag'], 'noindex')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['set-cookie'], undefined)
  assert.equal(headers['access-control-allow-origin'], undefined)
  if (method !== 'HEAD') assert.equal(headers['content-length'], String(raw.length))
}

function holdRedirect(answer: Answer, location: string): void {
  assert.equal(answer.status, 302, `${answer.raw}`)
  assert.equal(answer.headers.location, location)
  assert.equal(answer.raw.length, 0)
  holdHeaders(answer)
}

function holdWords(answer: Answer, status: 404 | 503, words: RegExp): void {
  assert.equal(answer.status, status)
  assert.match(answer.headers['content-type'] ?? '', /^text\/html; charset=utf-8$/)
  assert.match(answer.headers['content-security-policy'] ?? '', /^default-src 'none'; style-src 'sha256-/)
  assert.match(answer.raw.toString(), words)
  holdHeaders(answer)
}

test('an open offer: to the page with lc, to proxyUrl where there is one', async () => {
  const { ref, links } = await recipient(shop, { campaignId: evergreen })
  assert.equal(links.length, 2)
  const page = `https://shop.example.com/offer?a=%20+x&b&lc=${ref}#part`
  holdRedirect(await open(shop, links[0] as string), page)
  holdRedirect(await open(shop, links[1] as string), `http://127.0.0.1:9/gate?lc=${ref}`)
  const head = await open(shop, links[0] as string, { method: 'HEAD' })
  holdRedirect(head, page)
})

test('pending, scheduled, expired and without a deadline: the same, also with REDIRECT', async () => {
  const onExpiry = { action: 'REDIRECT', redirectUrl: 'https://example.com/closed' }
  const mechanisms = {
    pending: { startsOn: 'visit', deadline: { kind: 'after', period: 'PT1H' } },
    scheduled: {
      startsOn: 'registration',
      deadline: { kind: 'fixed', opensAt: '2099-01-01T00:00', at: '2099-01-02T00:00' },
    },
    none: { startsOn: 'registration', deadline: { kind: 'none' } },
    expired: { startsOn: 'registration', deadline: { kind: 'fixed', at: '2020-01-01T00:00' } },
  }
  for (const [name, mechanism] of Object.entries(mechanisms)) {
    const { id } = await applyCampaign(shop, { mechanism, onExpiry })
    const { ref, links } = await recipient(shop, { campaignId: id })
    const answer = await open(shop, links[0] as string)
    assert.equal(answer.headers.location, `https://example.com/offer?lc=${ref}`, name)
  }
})

test('the query that a mail service appends goes along, and the parameters of the page win', async () => {
  const { ref, links } = await recipient(shop, { campaignId: evergreen })
  const query = `?utm_source=news&gclid=x%20y&a=9&b=9&lc=${random32()}&t[]=1&t[]=2`
  const kept = 'utm_source=news&gclid=x%20y'
  const [page, gate] = await Promise.all(links.map((link) => open(shop, link + query)))
  holdRedirect(page as Answer, `https://shop.example.com/offer?a=%20+x&b&${kept}&t[]=1&t[]=2&lc=${ref}#part`)
  holdRedirect(gate as Answer, `http://127.0.0.1:9/gate?${kept}&a=9&b=9&t[]=1&t[]=2&lc=${ref}`)
  const head = await open(shop, `${links[1]}?gclid=1`, { method: 'HEAD' })
  holdRedirect(head, `http://127.0.0.1:9/gate?gclid=1&lc=${ref}`)
})

test('no request makes it lead anywhere else', async () => {
  const { ref, links } = await recipient(shop)
  const [link = ''] = links
  const location = `https://example.com/offer?lc=${ref}`
  const bad = 'https://evil.example'
  for (const [query, added] of [
    [`?lc=${random32()}`, ''],
    [`?l%63=${random32()}`, ''],
    [`?url=${bad}`, `url=${bad}&`],
    [`?pageUrl=${bad}#x`, `pageUrl=${bad}&`],
    ['#?a=b', ''],
    ['?', ''],
    ['?%0d%0aX:y', '%0d%0aX:y&'],
  ] as const)
    assert.equal((await open(shop, link + query)).headers.location, location.replace('?', `?${added}`), query)
  const headers = { 'X-Forwarded-Host': 'evil.example', Host: 'evil.example', Referer: bad }
  assert.equal((await open(shop, link, { headers })).headers.location, location)
  for (const path of [`${link}/`, `${link}.gif`, link.replace(ref, ref.toUpperCase()), `/go//evil.example/${ref}`])
    holdWords(await open(shop, path), 404, /nothing at this address/)
})

test('made-up and foreign refs and pages: a page for people, in the language of the browser', async () => {
  const { links } = await recipient(shop, { campaignId: evergreen })
  const [link = ''] = links
  const other = await recipient(shop)
  const wrong = [
    `/go/1/${random32()}`,
    link.replace(/[0-9a-f]{32}/, other.ref),
    link.replace(/\/go\/\d+/, '/go/999999999'),
    '/go/9999999999999999/x',
    '/go/',
    `${link}%`,
    '/go/1/%ff',
  ]
  for (const path of wrong) {
    holdWords(await open(shop, path), 404, /lang="en".*There is nothing at this address/)
    const polish = { 'Accept-Language': 'sv, pl-PL;q=0.8, en;q=0.5' }
    const answer = await open(shop, path, { headers: polish })
    holdWords(answer, 404, /lang="pl".*Pod tym adresem nic nie ma/)
    assert.equal(answer.headers['content-language'], 'pl')
    const ukrainian = { headers: { 'Accept-Language': 'uk-UA,uk;q=0.9,en;q=0.5' } }
    holdWords(await open(shop, path, ukrainian), 404, /lang="uk".*За цією адресою нічого немає/)
  }
  assert.equal((await open(shop, link, { method: 'POST' })).status, 404)
})

test('a draft, a suspended account and a deleted campaign show nothing; unavailable tools redirect', async () => {
  const campaign = await applyCampaign(shop, {})
  const { links, email, image, ref } = await recipient(shop, { campaignId: campaign.id })
  const [link = ''] = links
  let clicks = 0
  const openLink = async () => {
    const answer = await open(shop, link)
    if (answer.status === 302) clicks += 1
    return answer
  }
  const account = String(shop.owner.accountId)
  const turn = async (status: number, args: string[], input?: string) => {
    await shop.place.json(args, input)
    const answer = await eventually(1, openLink, (one) => one.status === status)
    if (status === 404) holdWords(answer, 404, /nothing at this address/)
  }
  const apply = ['campaign', 'apply', '--account', account, '-']
  await turn(404, apply, JSON.stringify({ ...campaign, isDraft: true }))
  await turn(302, apply, JSON.stringify(campaign))
  await turn(404, ['account', 'set', account, '--suspended', 'true'])
  await turn(302, ['account', 'set', account, '--suspended', 'false'])
  await shop.place.json(['account', 'set', account, '--countdown-tools', 'false'])
  // The link answers as before, so it is the image that says when the server knows.
  await eventually(
    1,
    () => open(shop, image),
    ({ headers }) => headers['x-timer-state'] === 'tools-unavailable',
  )
  holdRedirect(await openLink(), `https://example.com/offer?lc=${ref}`)
  await turn(302, ['account', 'set', account, '--countdown-tools', 'true'])
  await deadlineOf(email, '2030-01-01T00:00:00Z', campaign.id)
  await turn(302, ['campaign', 'list', '--account', account])
  const gone = await recipient(shop, { campaignId: campaign.id })
  await shop.place.json(['lead', 'erase', '--campaign', String(campaign.id), '--email', gone.email])
  holdWords(await open(shop, gone.links[0] as string), 404, /nothing/)
  await eventually(
    5,
    () => shop.place.json(['campaign', 'stats', String(campaign.id)]),
    ({ totals }) => totals.click.person === clicks,
    commandPauseMs,
  )
  await turn(404, ['campaign', 'delete', String(campaign.id), '--yes'])
})

test('no ref, email or address stands in the log', () => {
  assert.doesNotMatch(shop.server.output(), /[0-9a-f]{32}|@example|\/go\/|\/timer\//)
})
