// Programs that developers copy: the one in Node runs as it is, and the others ask the very same.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Operation, operations } from '../../src/core/operations.ts'
import { collection } from '../../src/http/panel/collection.ts'
import { snippetLanguages, snippets } from '../../src/http/panel/snippets.ts'
import { longTest, someOf } from '../support/faults.ts'
import { owner } from '../support/lastcall.ts'
import { sharedStage } from './stage.ts'

const { place, server } = await sharedStage()
const shop = await owner(place)
const key = 'lastcall_of.nobody'

/** A request as far as it matters: what a server reads of it. */
type Asked = { method: string; url: string; key: string; mediaType: string | undefined; body: unknown }

type Run = { code: number | null; stdout: string; stderr: string }

/** Runs a program as if it had been copied into a file; `hurry` makes its pauses so many times shorter. */
async function runNode(program: string, withKey: string, hurry = 1): Promise<Run> {
  const file = join(place.folder, `${crypto.randomUUID()}.mjs`)
  writeFileSync(file, program)
  const faster = `const s = setTimeout; globalThis.setTimeout = (f, ms, ...a) => s(f, ms / ${hurry}, ...a)`
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${faster}`, file], {
    env: { LASTCALL_KEY: withKey },
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  const [code] = await once(child, 'close')
  return { code, stdout, stderr }
}

/** Its output, `STATUS JSON`. */
function printed({ code, stdout, stderr }: Run): { status: number; body: any } {
  assert.equal(code, 0, stderr)
  const [, status, body = ''] = /^(\d{3}) (.*)$/s.exec(stdout) ?? []
  return { status: Number(status), body: JSON.parse(body) }
}

/** A server that keeps what it is asked and answers with these statuses in turn, the last for ever. */
async function recorder(scope: { after(end: () => void): void }, ...statuses: number[]) {
  const asked: Asked[] = []
  const recording = createServer((req, res) => {
    let body = ''
    req.setEncoding('utf8').on('data', (text) => {
      body += text
    })
    req.on('end', () => {
      asked.push(readRequest(req.method as string, req.url as string, req.headers, body))
      const status = statuses.length > 1 ? statuses.shift() : statuses[0]
      // As a proxy answers while the service is away.
      const isPage = status === 502
      res.writeHead(status as number, {
        'Content-Type': isPage ? 'text/html' : 'application/json',
        ...(status === 429 && { 'Retry-After': '20' }),
      })
      res.end(isPage ? '<h1>502 Bad Gateway</h1>' : '{}')
    })
  })
  await once(recording.listen(0, '127.0.0.1'), 'listening')
  scope.after(() => recording.close())
  return { asked, origin: `http://127.0.0.1:${(recording.address() as AddressInfo).port}` }
}

function readRequest(method: string, url: string, headers: IncomingHttpHeaders, body: string): Asked {
  const [, key = ''] = /^Bearer (.+)$/.exec(headers.authorization ?? '') ?? []
  return { method, url, key, mediaType: headers['content-type'], body: body && JSON.parse(body) }
}

/** Words of a command as a POSIX shell reads it, with `LASTCALL_KEY` set; refuses what it does not know. */
function shellWords(command: string): string[] {
  const form = /(?:'([^']*)'|"([^"\\`]*)"|\\(['"\\])|([^\s'"\\$`;&|<>(){}*?[\]~#]+))|(\s+|\\\n\s*)/gy
  const found: string[] = []
  let word: string | undefined
  let end = 0
  for (const match of command.matchAll(form)) {
    const [whole, single, double, escaped, plain, space] = match
    end = match.index + whole.length
    if (space === undefined) {
      word = (word ?? '') + (single ?? double?.replace('$LASTCALL_KEY', key) ?? escaped ?? plain)
    } else if (word !== undefined) {
      found.push(word)
      word = undefined
    }
  }
  assert.equal(end, command.length, `not understood: ${command.slice(end)}`)
  return word === undefined ? found : [...found, word]
}

function requestOf(method: string, url: string, headerLines: string[], body: string): Asked {
  const headers = headerLines.map((line) => line.split(': ') as [string, string])
  const named = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]))
  const { pathname, search } = new URL(url)
  return readRequest(method, pathname + search, named, body)
}

function parseCurl(program: string): Asked {
  const [curl, ...rest] = shellWords(program)
  assert.equal(curl, 'curl')
  const found = { urls: [] as string[], headers: [] as string[], body: '' }
  while (rest.length > 0) {
    const word = rest.shift() as string
    if (word === '--header') found.headers.push(rest.shift() as string)
    else if (word === '--data') found.body = rest.shift() as string
    else if (word === '--max-time') assert.match(rest.shift() as string, /^\d+$/)
    else if (word.startsWith('-')) assert.ok(['--silent', '--show-error'].includes(word), word)
    else found.urls.push(word)
  }
  assert.equal(found.urls.length, 1)
  return requestOf(found.body === '' ? 'GET' : 'POST', found.urls[0] as string, found.headers, found.body)
}

function parsePython(program: string): Asked {
  const form =
    /^request = urllib\.request\.Request\(\n {4}(".*"),\n {4}method="([A-Z]+)",\n {4}headers=\{\n((?: {8}.*\n)*) {4}\},\n(?: {4}data=json\.dumps\((\{.*\})\)\.encode\(\),\n)?\)$/m
  const [, url = '', method = '', headers = '', body = ''] = form.exec(program) ?? assert.fail(program)
  const lines = headers.trimEnd().split('\n')
  return requestOf(
    method,
    JSON.parse(url),
    lines.map((line) => {
      const [, name = '', keyed, plain] =
        /^ {8}"([\w-]+)": (?:f"(Bearer )\{os\.environ\['LASTCALL_KEY'\]\}"|"([^"]*)"),$/.exec(line) ?? assert.fail(line)
      return `${name}: ${keyed === undefined ? plain : `${keyed}${key}`}`
    }),
    body,
  )
}

function parsePhp(program: string): Asked {
  const form =
    /^<\?php\n\$request = \[\n {4}CURLOPT_URL => ('.*'),\n {4}CURLOPT_CUSTOMREQUEST => '([A-Z]+)',\n {4}CURLOPT_HTTPHEADER => \[\n((?: {8}.*\n)*) {4}\],\n(?: {4}CURLOPT_POSTFIELDS => json_encode\(\[(.*)\]\),\n)?/
  const [, url = '', method = '', headers = '', body = ''] = form.exec(program) ?? assert.fail(program)
  const lines = headers.trimEnd().split('\n')
  const pairs = [...body.matchAll(/('(?:[^'\\]|\\.)*') => ('(?:[^'\\]|\\.)*')(?:, |$)/gy)]
  assert.equal(pairs.map(([whole]) => whole).join(''), body)
  const entries = pairs.map(([, name = '', value = '']) => [phpText(name), phpText(value)])
  return requestOf(
    method,
    phpText(url),
    lines.map((line) => {
      const [, keyed, plain] =
        /^ {8}(?:'(Authorization: Bearer )' \. getenv\('LASTCALL_KEY'\)|'([^']*)'),$/.exec(line) ?? assert.fail(line)
      return keyed === undefined ? (plain as string) : `${keyed}${key}`
    }),
    entries.length === 0 ? '' : JSON.stringify(Object.fromEntries(entries)),
  )
}

const phpText = (literal: string) => literal.slice(1, -1).replace(/\\([\\'])/g, '$1')

const parsers = { curl: parseCurl, python: parsePython, php: parsePhp }

test('what is copied for Node runs as it is, and does what it says', async () => {
  const run = async (name: Operation) =>
    printed(await runNode(snippets(name, server.base, shop.campaignId).node, shop.key))

  const list = await run('listCampaigns')
  assert.equal(list.status, 200)
  assert.deepEqual(
    list.body.items.map(({ id }: { id: number }) => id),
    [shop.campaignId],
  )
  assert.deepEqual((await run('lookupLead')).body.code, 'LEAD_NOT_FOUND')
  const { status, body } = await run('registerLead')
  assert.deepEqual([status, body.created, body.campaignId], [201, true, shop.campaignId])
  const again = await run('registerLead')
  assert.deepEqual([again.status, again.body.created], [200, false])
  const { created: _, ...offer } = body
  assert.deepEqual(await run('lookupLead'), { status: 200, body: offer })
})

test('cURL, Python and PHP ask what Node asks, whatever stands in the base address', async (t) => {
  const { asked, origin } = await recorder(t, 200)
  const bases = ["/it's/$HOME/`x`/%22q%22/api/public/v1", '/api/public/v1']
  for (const base of someOf(bases, 1)) {
    for (const name of operations) {
      const texts = snippets(name, new URL(base, origin).href, 4_711)
      printed(await runNode(texts.node, key))
      const wanted = asked.at(-1) as Asked
      assert.equal(wanted.key, key)
      assert.equal(wanted.mediaType, name === 'listCampaigns' ? undefined : 'application/json')
      assert.match(wanted.url, name === 'listCampaigns' ? /\/campaigns\?/ : /\/campaigns\/4711\/leads/)
      for (const [language, parse] of Object.entries(parsers)) {
        const text = texts[language as keyof typeof parsers]
        assert.deepEqual(parse(text), wanted, `${language}: ${text}`)
      }
      const triedAgain = [texts.node, texts.python, texts.php].map((text) => /[[(](429, [^\])]+)/.exec(text)?.[1])
      assert.deepEqual(triedAgain, Array(3).fill('429, 502, 503, 504'))
    }
  }
  assert.equal(asked.length, someOf(bases, 1).length * operations.length)
})

longTest(
  'what is copied for Node waits and tries again after 429, 502, 503 and 504, and after nothing else',
  async (t) => {
    const { node } = snippets('registerLead', '', 1)
    const to = (origin: string) => node.replace("'/campaigns", `'${origin}/campaigns`)

    const busy = await recorder(t, 503, 502, 504, 429, 201)
    const startedAt = performance.now()
    const { status } = printed(await runNode(to(busy.origin), key, 20))
    assert.deepEqual([status, busy.asked.length], [201, 5])
    // Retry-After: 20, twenty times as fast
    assert.ok(performance.now() - startedAt > 1_000)

    const down = await recorder(t, 503)
    const gaveUp = await runNode(to(down.origin), key, 1_000)
    assert.notEqual(gaveUp.code, 0)
    assert.match(gaveUp.stderr, /gave up.*\[cause\]: 503/s)
    assert.equal(down.asked.length, 5)

    for (const final of someOf([409, 400, 401, 422, 500], 1)) {
      const refusing = await recorder(t, final)
      const { status } = printed(await runNode(to(refusing.origin), key, 1_000))
      assert.deepEqual([status, refusing.asked.length], [final, 1])
    }
  },
)

test('no example has a key in it, or a way to put one into an address', () => {
  for (const name of operations) {
    const texts = snippets(name, server.base, shop.campaignId)
    assert.deepEqual(Object.keys(texts), [...snippetLanguages])
    for (const text of Object.values(texts)) {
      assert.equal(text.split('LASTCALL_KEY').length, 2)
      assert.doesNotMatch(text, /lastcall_[0-9a-f]/)
    }
  }
})

longTest('the collection has the shape of its format, no key, and asks what the examples ask', async (t) => {
  const { asked, origin } = await recorder(t, 200)
  const { info, auth, variable, item } = collection(origin)
  assert.equal(info.schema, 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json')
  assert.ok(info.name)
  const types = ['string', 'boolean', 'any', 'number']
  assert.ok(variable.every(({ type }) => types.includes(type)))
  const values: Record<string, string> = Object.fromEntries(variable.map(({ key, value }) => [key, value]))
  const filled = (text: string) => text.replace(/\{\{(\w+)\}\}/g, (_, name) => values[name] ?? assert.fail(name))
  assert.deepEqual(values, { baseUrl: origin, key: '', campaignId: '' })
  values.campaignId = '4711'
  assert.deepEqual(auth, {
    type: 'bearer',
    bearer: [{ key: 'token', value: '{{key}}', type: 'string' }],
  })

  assert.equal(item.length, operations.length)
  for (const [index, name] of operations.entries()) {
    const { request, name: title, response } = item[index] as (typeof item)[number]
    assert.ok(title)
    assert.deepEqual(response, [])
    const { raw, host, path, query } = request.url
    const search = new URLSearchParams(query.map(({ key, value }) => [key, value])).toString()
    assert.equal([...host, ...path].join('/') + (search && `?${search}`), raw)
    printed(await runNode(snippets(name, origin, 4_711).node, key))
    const { key: _, ...wanted } = asked.at(-1) as Asked
    const { key: none, ...found } = requestOf(
      request.method,
      filled(raw),
      request.header.map((header) => `${header.key}: ${header.value}`),
      request.body?.raw ?? '',
    )
    assert.deepEqual(found, wanted)
    assert.equal(none, '')
    if (request.body) assert.equal(request.body.mode, 'raw')
  }
})
