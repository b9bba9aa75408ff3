import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageAt } from '../../src/core/page-address.ts'

const page = { pageUrl: 'https://shop.example/offer/', proxyUrl: null, eligible: true }

test('slashes, query and fragment at the end make no other page', () => {
  for (const end of ['', '/', '///', '?a=1', '/#b'])
    assert.equal(pageAt([page], `http://shop.example/offer${end}`), page)
  for (const end of ['/x', 's', '/x/']) assert.equal(pageAt([page], `http://shop.example/offer${end}`), undefined)
})

test('a page is at the address of its proxy too', () => {
  const behind = { ...page, proxyUrl: 'https://proxy.example/p' }
  const at = (address: string) => pageAt([page, behind], address)
  assert.deepEqual([at('https://proxy.example/p?lc=1'), at('https://proxy.example/q')], [behind, undefined])
})

test('an address of slashes takes a time that grows with its length alone', () => {
  const startedAt = performance.now()
  for (const end of ['', 'x']) pageAt([page], `https://shop.example/${'/'.repeat(65_536)}${end}`)
  assert.ok(performance.now() - startedAt < 1_000)
})
