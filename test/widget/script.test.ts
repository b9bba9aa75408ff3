// The script as it goes over the wire.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Script } from 'node:vm'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { mailLanguages } from '../../src/core/mail-language.ts'
import { newFastify } from '../../src/http/framework.ts'
import { sendUndecodable } from '../../src/http/visitor/visitor.ts'
import { widget } from '../../src/http/visitor/widget.ts'
import { widgetScript } from '../../src/http/visitor/widget-script.ts'
import { widgetWords } from '../../src/http/visitor/widget-words.ts'
import { openLog } from '../../src/log.ts'

const log = openLog()
const app = newFastify({ isHttps: false, trustProxy: [], log, sendUndecodable })
app.register(widget, { prefix: '/widget' })

test('it has at most 6,000 bytes compressed, by gzip too, and is the same however it is compressed', async () => {
  const { plain, gzip, br } = await widgetScript()
  assert.ok(gzip.length <= 6000, `${gzip.length} bytes by gzip`)
  assert.ok(br.length <= gzip.length)
  assert.deepEqual(gunzipSync(gzip), plain)
  assert.deepEqual(brotliDecompressSync(br), plain)
  assert.ok(new Script(plain.toString()))
})

test('its source imports nothing, makes no code of text and no markup, and knows no cookie', () => {
  const source = readFileSync(join(import.meta.dirname, '..', '..', 'widget', 'v1.js'), 'utf8')
  assert.doesNotMatch(source, /^import\b|\bimport\(|\beval\b|\bnew Function|innerHTML|outerHTML|\.cookie\b/m)
})

test('its English words are those of the service, which has them in every language of mails', async () => {
  const { plain } = await widgetScript()
  assert.ok(plain.includes(`(${mailLanguages.join('|')})`), 'widget/v1.js: add it to `known`')
  for (const words of Object.values(widgetWords.en)) assert.ok(plain.includes(words), words)
  for (const language of mailLanguages) {
    const answer = await app.inject(`/widget/v1.${language}.json`)
    assert.deepEqual([answer.statusCode, answer.headers['cache-control']], [200, 'public, max-age=3600'])
    assert.deepEqual(answer.json(), widgetWords[language])
    assert.equal(answer.headers['access-control-allow-origin'], '*')
  }
  assert.equal((await app.inject('/widget/v1.xx.json')).statusCode, 404)
})

test('the newest is cached for an hour, one by its hash for a year, and an older hash gets the newest', async () => {
  const script = await widgetScript()
  const cached = async (path: string) => {
    const { rawPayload, headers } = await app.inject(path)
    assert.deepEqual(rawPayload, script.plain)
    return headers['cache-control']
  }
  assert.equal(await cached('/widget/v1.js'), 'public, max-age=3600')
  assert.equal(await cached(`/widget/v1.${script.hash}.js`), 'public, max-age=31536000, immutable')
  assert.equal(await cached('/widget/v1.0123456789abcdef.js'), 'public, max-age=3600')
  for (const path of ['/widget/', '/widget/v2.js', '/widget/v1.js/', '/widget/v1.0123.js', '/widget/v1xjs'])
    assert.equal((await app.inject(path)).statusCode, 404, path)
})

test('it goes out compressed as the browser asks, may be used by any page, and need not be fetched twice', async () => {
  const script = await widgetScript()
  const coding = async (acceptEncoding: string) => {
    const headers = { 'accept-encoding': acceptEncoding }
    const answer = await app.inject({ url: '/widget/v1.js', headers })
    assert.equal(answer.headers.vary, 'Accept-Encoding')
    assert.equal(answer.headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal(answer.headers['access-control-allow-origin'], '*')
    assert.equal(answer.headers['cross-origin-resource-policy'], 'cross-origin')
    return answer.headers['content-encoding']
  }
  assert.equal(await coding('gzip, deflate, br, zstd'), 'br')
  assert.equal(await coding('gzip;q=1.0, br;q=0'), 'gzip')
  assert.equal(await coding('GZIP'), 'gzip')
  assert.equal(await coding('identity, brx'), undefined)
  assert.equal(await coding(''), undefined)
  const headers = { 'if-none-match': `W/"${script.hash}"` }
  const again = await app.inject({ url: '/widget/v1.js', headers })
  assert.equal(again.statusCode, 304)
  assert.equal(again.rawPayload.length, 0)
})
