// The script as it goes over the wire.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Script } from 'node:vm'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { widgetAnswer, widgetScript } from '../../src/http/visitor/widget-script.ts'

const headersOf = (lines: string[]) => {
  const pairs = lines.flatMap((name, index) => (index % 2 ? [] : [[name.toLowerCase(), lines[index + 1]]]))
  return Object.fromEntries(pairs) as Record<string, string>
}

test('it has at most 5,000 bytes compressed, by gzip too, and is the same however it is compressed', async () => {
  const { plain, gzip, br } = await widgetScript()
  assert.ok(gzip.length <= 5000, `${gzip.length} bytes by gzip`)
  assert.ok(br.length <= gzip.length)
  assert.deepEqual(gunzipSync(gzip), plain)
  assert.deepEqual(brotliDecompressSync(br), plain)
  assert.ok(new Script(plain.toString()))
})

test('its source imports nothing, makes no code of text and no markup, and knows no cookie', () => {
  const source = readFileSync(join(import.meta.dirname, '..', '..', 'widget', 'v1.js'), 'utf8')
  assert.doesNotMatch(source, /^import\b|\bimport\(|\beval\b|\bnew Function|innerHTML|outerHTML|\.cookie\b/m)
})

test('the newest is cached for an hour, one by its hash for a year, and an older hash gets the newest', async () => {
  const script = await widgetScript()
  const cached = (path: string) => {
    const answer = widgetAnswer(script, path, {})
    assert.deepEqual(answer?.body, script.plain)
    return headersOf(answer?.headers ?? [])['cache-control']
  }
  assert.equal(cached('/widget/v1.js'), 'public, max-age=3600')
  assert.equal(cached(`/widget/v1.${script.hash}.js`), 'public, max-age=31536000, immutable')
  assert.equal(cached('/widget/v1.0123456789abcdef.js'), 'public, max-age=3600')
  for (const path of ['/widget/', '/widget/v2.js', '/widget/v1.js/', '/widget/v1.0123.js', '/widget/v1xjs'])
    assert.equal(widgetAnswer(script, path, {}), undefined, path)
})

test('it goes out compressed as the browser asks, may be used by any page, and need not be fetched twice', async () => {
  const script = await widgetScript()
  const coding = (acceptEncoding: string) => {
    const answer = widgetAnswer(script, '/widget/v1.js', { 'accept-encoding': acceptEncoding })
    const headers = headersOf(answer?.headers ?? [])
    assert.equal(headers.vary, 'Accept-Encoding')
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal(headers['access-control-allow-origin'], '*')
    assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
    return headers['content-encoding']
  }
  assert.equal(coding('gzip, deflate, br, zstd'), 'br')
  assert.equal(coding('gzip;q=1.0, br;q=0'), 'gzip')
  assert.equal(coding('GZIP'), 'gzip')
  assert.equal(coding('identity, brx'), undefined)
  assert.equal(coding(''), undefined)
  const again = widgetAnswer(script, '/widget/v1.js', { 'if-none-match': `W/"${script.hash}"` })
  assert.equal(again?.status, 304)
  assert.equal(again?.body.length, 0)
})
