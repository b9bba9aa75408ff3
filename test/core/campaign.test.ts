import assert from 'node:assert/strict'
import { test } from 'node:test'
import { campaignTypes, checkCampaign, typeIdOf } from '../../src/core/campaign.ts'
import type { Deadline } from '../../src/core/mechanism/settings.ts'

const least = {
  name: 'Autumn course',
  timeZone: 'Europe/Warsaw',
  mechanism: { startsOn: 'registration', deadline: { kind: 'after', period: 'P3D' } },
}
const page = { pageUrl: 'https://example.com/offer' }
const withPages = (...pages: unknown[]) => ({ ...least, pages })

function pathsOf(value: unknown): string[] {
  const result = checkCampaign(value)
  return 'faults' in result ? result.faults.map((fault) => fault.path) : []
}

test('settings that are left out get their defaults', () => {
  assert.deepEqual(checkCampaign(least), {
    campaign: {
      ...least,
      isDraft: true,
      language: 'en',
      anonymous: { enabled: false },
      conversion: { closes: false },
      onExpiry: { action: 'HIDE' },
      pages: [],
      mailTimer: null,
    },
  })
})

test('a whole campaign is kept as it is written', () => {
  const whole = {
    id: 7,
    ...least,
    isDraft: false,
    language: 'uk',
    anonymous: { enabled: true },
    conversion: { closes: true },
    onExpiry: { action: 'REDIRECT', redirectUrl: 'http://example.com/closed?a=b#c' },
    pages: [{ id: 3, ...page, proxyUrl: 'https://localhost:8443/x', eligible: false }],
    mailTimer: {},
  }
  assert.deepEqual(checkCampaign(whole), { campaign: whole })
})

test('a page has no proxy and is eligible where it does not say', () => {
  const result = checkCampaign(withPages(page))
  assert.ok('campaign' in result)
  assert.deepEqual(result.campaign.pages, [{ ...page, proxyUrl: null, eligible: true }])
})

const refusals: [what: string, campaign: unknown, paths: string[]][] = [
  ['no object', null, ['']],
  ['a list', [least], ['']],
  ['nothing in it', {}, ['name', 'timeZone', 'mechanism']],
  ['an unknown property', { ...least, colour: 'red' }, ['colour']],
  ['__proto__', JSON.parse(`{"__proto__":{"a":1},${JSON.stringify(least).slice(1)}`), ['__proto__']],
  ['an id of 0', { ...least, id: 0 }, ['id']],
  ['an id in words', { ...least, id: '1' }, ['id']],
  ['a blank name', { ...least, name: ' \t\u00a0' }, ['name']],
  ['a name of 201 characters', { ...least, name: '😀'.repeat(201) }, ['name']],
  ['a name with NUL', { ...least, name: 'a\0b' }, ['name']],
  ['half a surrogate pair', { ...least, name: 'a\ud83d' }, ['name']],
  ['isDraft null', { ...least, isDraft: null }, ['isDraft']],
  ['anonymous true', { ...least, anonymous: true }, ['anonymous']],
  ['anonymous without enabled', { ...least, anonymous: {} }, ['anonymous.enabled']],
  ['conversion without closes', { ...least, conversion: {} }, ['conversion.closes']],
  ['an unknown action', { ...least, onExpiry: { action: 'hide' } }, ['onExpiry.action']],
  ['REDIRECT to nowhere', { ...least, onExpiry: { action: 'REDIRECT' } }, ['onExpiry.redirectUrl']],
  ['HIDE with an URL', { ...least, onExpiry: { action: 'HIDE', redirectUrl: page.pageUrl } }, ['onExpiry.redirectUrl']],
  ['pages that are no list', { ...least, pages: {} }, ['pages']],
  ['101 pages', withPages(...Array(101).fill(page)), ['pages']],
  ['a page without an URL', withPages(page, {}), ['pages[1].pageUrl']],
  [
    'a wrong page and its neighbour',
    withPages({ pageUrl: 1, x: 1 }, null),
    ['pages[0].x', 'pages[0].pageUrl', 'pages[1]'],
  ],
  ['two pages of one id', withPages({ ...page, id: 5 }, page, { ...page, id: 5 }), ['pages[2].id']],
  ['two of one id, one wrong otherwise', withPages({ ...page, id: 5 }, { id: 5 }), ['pages[1].pageUrl', 'pages[1].id']],
  ['a style of the mail timer', { ...least, mailTimer: { theme: 'dark' } }, ['mailTimer.theme']],
  ['a language that mails are not written in', { ...least, language: 'la' }, ['language']],
  ['a mail timer that is true', { ...least, mailTimer: true }, ['mailTimer']],
  [
    'faults everywhere',
    { ...least, name: '', mechanism: {}, pages: [1] },
    ['name', 'pages[0]', 'mechanism.startsOn', 'mechanism.deadline'],
  ],
]

for (const [what, campaign, paths] of refusals) {
  test(`refused: ${what}`, () => assert.deepEqual(pathsOf(campaign), paths))
}

for (const [address, encoded, character] of [
  ['https://example.com/?a[]=1', '%5B', '['],
  ['https://example.com/a]b', '%5D', ']'],
  ['https://example.com/a|b', '%7C', '|'],
  ['https://example.com/a b', '%20', ' '],
  ['https://żółw.pl/a b', '%20', ' '],
  ['https://example.com/#"', '%22', '"'],
  ['https://example.com/#/offer#top', '%23', '#'],
  ['https://example.com/?sale=100%', '%25', '%'],
  ['https://example.com/?a=%zz', '%25', '%'],
] as const) {
  test(`a character that an address cannot have is named: ${address}`, () => {
    const result = checkCampaign(withPages({ pageUrl: address }))
    const message = 'faults' in result ? (result.faults[0]?.message ?? '') : ''
    assert.ok(message.startsWith(`must have "${encoded}" in place of `), message)
    assert.ok(message.includes(`"${character}"`), message)
    // Written so, it is taken.
    assert.ok(
      'campaign' in
        checkCampaign(withPages({ pageUrl: address.replace(/[[\]| "]|%(?!20)|#(?=top)/g, encodeURIComponent) })),
    )
  })
}

for (const [code, place] of [
  ['200B', 'https://example.com/offer*'],
  ['FEFF', '*https://example.com/offer'],
  ['200E', 'https://example.com/*offer'],
  ['00A0', 'https://example.com/offer*'],
  ['000A', 'https://example.com/offer?a=*1'],
] as const) {
  test(`a character that nobody sees in an address is named by its code: ${code}`, () => {
    const pageUrl = place.replace('*', String.fromCodePoint(Number.parseInt(code, 16)))
    const result = checkCampaign(withPages({ pageUrl }))
    assert.ok('faults' in result)
    assert.equal(result.faults[0]?.message, `must be without the invisible character U+${code}`)
  })
}

for (const address of [
  'example.com',
  '/offer',
  '//example.com',
  'ftp://example.com',
  'javascript:alert(1)',
  'https:example.com',
  'https://',
  'https://user@example.com/',
  'https://:secret@example.com/',
  ' https://example.com/',
  'https://example.com/a b',
  'https://example.com/\r\nSet-Cookie: a=b',
  'https://example.com\\@evil.example/',
  'https:///example.com/a',
  'https://@example.com/',
  'https://ż@example.com/',
  'https://%C5%BC.pl/',
  'https://a%2eb.pl/',
  'https://ż%2eb.pl/',
  'https://example.com:ż/',
  'https://żółw／evil.pl/',
  'https://żółw.pl\\@evil.example/',
  'https://żółw.pl/a b',
  'https://żółw.pl/a\u00a0',
  'https://żółw.pl/\ud800',
  `https://example.com/${'ł'.repeat(500)}`,
  `https://example.com/${'a'.repeat(2_029)}`,
  '',
]) {
  test(`refused as an URL: ${JSON.stringify(address).slice(0, 60)}`, () => {
    assert.deepEqual(pathsOf(withPages({ pageUrl: address, proxyUrl: address })), [
      'pages[0].pageUrl',
      'pages[0].proxyUrl',
    ])
  })
}

test('a URL beyond ASCII is kept as browsers send it, and one in ASCII as it was written', () => {
  const keptOf = (pageUrl: string) => {
    const checked = checkCampaign(withPages({ pageUrl }))
    assert.ok('campaign' in checked)
    return checked.campaign.pages[0]?.pageUrl
  }
  for (const [written, kept] of [
    ['https://żółw.pl/', 'https://xn--w-uga1v8h.pl/'],
    ['https://ŻÓŁW.pl', 'https://xn--w-uga1v8h.pl/'],
    ['https://example.com/zażółć?q=łoś#ę', 'https://example.com/za%C5%BC%C3%B3%C5%82%C4%87?q=%C5%82o%C5%9B#%C4%99'],
    ['http://пример.испытание:8080/a%20b', 'http://xn--e1afmkfd.xn--80akhbyknj4f:8080/a%20b'],
    ['https://example.com/🐢', 'https://example.com/%F0%9F%90%A2'],
  ]) {
    assert.equal(keptOf(written as string), kept)
    assert.equal(keptOf(kept as string), kept)
  }
  for (const same of [
    'HTTPS://Example.com',
    'https://xn--w-uga1v8h.pl/%c5%bc',
    'http://[2001:db8::1]:8080/?a#b',
    'http://under_score.example/@x/:y',
    'https://example.com?a=http://x.pl/',
  ])
    assert.equal(keptOf(same), same)
})

test('a URL may have 2,048 characters', () => {
  assert.deepEqual(pathsOf(withPages({ pageUrl: `https://example.com/${'a'.repeat(2_028)}` })), [])
})

test('the type of a campaign follows from its deadline', () => {
  const typeOf = (deadline: Deadline) => {
    const id = typeIdOf({ startsOn: 'registration', deadline })
    return `${id} ${campaignTypes[id]}`
  }
  assert.equal(typeOf({ kind: 'fixed', at: '2026-11-28T00:00' }), '1 Fixed date')
  assert.equal(typeOf({ kind: 'after', period: 'P1D' }), '2 Evergreen')
  assert.equal(typeOf({ kind: 'daysAt', days: 0, time: '00:00' }), '2 Evergreen')
  assert.equal(typeOf({ kind: 'none' }), '2 Evergreen')
  assert.equal(typeOf({ kind: 'next', closes: { every: 'day', time: '00:00' } }), '3 Recurring')
})
