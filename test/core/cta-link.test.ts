import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ctaAddress, mostAdded } from '../../src/core/cta-link.ts'

const linkOf = (address: string) => ctaAddress(address, 'REF')

test('lc goes into the query, in place of any that stands there, and all else stays', () => {
  for (const [address, expected] of Object.entries({
    'https://x.pl': 'https://x.pl?lc=REF',
    'https://x.pl/': 'https://x.pl/?lc=REF',
    'https://x.pl/?': 'https://x.pl/?lc=REF',
    'https://x.pl/#part': 'https://x.pl/?lc=REF#part',
    'https://x.pl/#part?lc=1': 'https://x.pl/?lc=REF#part?lc=1',
    'https://x.pl/?a=%20+x&b#c': 'https://x.pl/?a=%20+x&b&lc=REF#c',
    'https://x.pl/?a&&b=': 'https://x.pl/?a&&b=&lc=REF',
    'https://x.pl/?lc=1': 'https://x.pl/?lc=REF',
    'https://x.pl/?lc': 'https://x.pl/?lc=REF',
    'https://x.pl/?lc=1&a=2&%6cc=3&%6C%63=4': 'https://x.pl/?a=2&lc=REF',
    'https://x.pl/?LC=1&xlc=2&lc[]=3&lcx=4': 'https://x.pl/?LC=1&xlc=2&lc[]=3&lcx=4&lc=REF',
    'https://x.pl/??lc=1': 'https://x.pl/??lc=1&lc=REF',
    'https://x.pl/lc=1?a=lc=2': 'https://x.pl/lc=1?a=lc=2&lc=REF',
  }))
    assert.equal(linkOf(address), expected, address)
})

test('from any address the page reads one lc, which is ours, and everything else as before', () => {
  const piece = fc.stringMatching(/^(?:[a-z?=+[\]]|%6[0-9]|lc){0,6}$/)
  const address = fc
    .tuple(fc.array(piece, { maxLength: 5 }), fc.option(piece, { nil: undefined }))
    .map(([query, fragment]) => {
      return `https://x.pl/a?${query.join('&')}${fragment === undefined ? '' : `#${fragment}`}`
    })
  fc.assert(
    fc.property(address, fc.array(piece, { maxLength: 4 }), (given, linkQuery) => {
      const before = new URL(given)
      const after = new URL(ctaAddress(given, 'REF', linkQuery.join('&')))
      assert.deepEqual(after.searchParams.getAll('lc'), ['REF'])
      const others = (pairs: Iterable<[string, string]>) => [...pairs].filter(([name]) => name !== 'lc')
      const own = others(before.searchParams)
      const added = others(new URLSearchParams(`&${linkQuery.join('&')}`))
      const expected = [...own, ...added.filter(([name]) => !before.searchParams.has(name))]
      assert.deepEqual(others(after.searchParams), expected)
      assert.deepEqual([after.origin, after.pathname, after.hash], [before.origin, before.pathname, before.hash])
    }),
    { numRuns: 2_000 },
  )
})

test("the link's own query goes along, the page's parameters win, and lc is ours", () => {
  for (const [page, query, expected] of [
    ['https://x.pl', 'utm_source=mail&gclid=a%20+b', 'https://x.pl?utm_source=mail&gclid=a%20+b&lc=REF'],
    ['https://x.pl/?a=1#c', 'a=2&b=3&b=4', 'https://x.pl/?a=1&b=3&b=4&lc=REF#c'],
    [
      'https://x.pl/?utm%5fsource=own',
      'utm_source=mail&UTM_source=x',
      'https://x.pl/?utm%5fsource=own&UTM_source=x&lc=REF',
    ],
    ['https://x.pl/?lc=1', 'lc=2&l%63=3&xlc=4', 'https://x.pl/?xlc=4&lc=REF'],
    ['https://x.pl/', '&&a&=b&?lc=5&', 'https://x.pl/?a&=b&?lc=5&lc=REF'],
    ['https://x.pl/?&', '=b&%zz', 'https://x.pl/?&&=b&%zz&lc=REF'],
  ] as const)
    assert.equal(ctaAddress(page, 'REF', query), expected, `${page} ${query}`)
})

test('the first 200 parameters of a link go along to the page', () => {
  const numbered = (count: number) => Array.from({ length: count }, (_, n) => `p${n}=${n}`).join('&')
  for (const count of [mostAdded, mostAdded + 1])
    assert.equal(ctaAddress('https://x.pl/', 'REF', numbered(count)), `https://x.pl/?${numbered(mostAdded)}&lc=REF`)
})
