// What the documents say is held against the code.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { settingNames } from '../../src/config.ts'
import { checkCampaign } from '../../src/core/campaign.ts'
import { type BesideCode, besideStatus, bodyLimitBytes, errorStatus } from '../../src/core/errors.ts'
import { eventKinds } from '../../src/core/events.ts'
import type { Fault } from '../../src/core/fault.ts'
import { mailLanguages } from '../../src/core/mail-language.ts'
import { mailServiceNames } from '../../src/core/mail-services.ts'
import { checkSchedule } from '../../src/core/mechanism/check-schedule.ts'
import type { Deadline } from '../../src/core/mechanism/settings.ts'
import { warnings } from '../../src/core/offer.ts'
import { simulate } from '../../src/core/simulate.ts'
import { timerFonts } from '../../src/core/timer-font.ts'
import { checkTimerStyle, defaultTimerStyle, timerPresets } from '../../src/core/timer-style.ts'
import { eventOperations } from '../../src/http/events/operations.ts'
import { description } from '../../src/http/public/description.ts'
import { basePath, LeadRegistration } from '../../src/http/public/schemas.ts'
import { latestVersion } from '../../src/store/migrations.ts'

const root = join(import.meta.dirname, '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

function blocks(text: string, language: string): string[] {
  return [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].flatMap(([, name, block]) =>
    name === language ? [block as string] : [],
  )
}

/** The cells of every table row. */
const rowsOf = (text: string) =>
  [...text.matchAll(/^\|(.*)\|$/gm)].map(([, row]) => (row as string).split('|').map((cell) => cell.trim()))

test('docs/timer.md has the languages of mails', () => {
  const [, section = ''] = read('docs/timer.md').split('\n## Languages\n')
  const [named = ''] = section.split('\n## ')
  assert.deepEqual(
    [...named.matchAll(/`([a-z]{2})`/g)].map(([, language]) => language),
    mailLanguages,
  )
})

test('docs/api.md has every error code with its status, every field, every warning, and the limit of a body', () => {
  const rows = rowsOf(read('docs/api.md'))
  for (const [code, status] of Object.entries(errorStatus))
    assert.ok(
      rows.some((row) => row[0] === String(status) && row[1] === `\`${code}\``),
      code,
    )
  for (const name of [...Object.keys(LeadRegistration.properties), ...warnings])
    assert.ok(
      rows.some((row) => row[0] === `\`${name}\``),
      name,
    )
  assert.equal(rows.find(([what]) => what === 'body')?.[1], `${bodyLimitBytes.toLocaleString('en')} bytes`)
})

test('docs/api.md calls each operation', () => {
  const calls = [...read('docs/api.md').matchAll(/(?:-X (\w+) )?"\$LASTCALL_URL([^"?]*)/g)]
  const called = calls.map(([, method = 'GET', path = '']) => `${method} ${path.replace(/\/\d+(?=\/|$)/g, '/{id}')}`)
  for (const [path, item] of Object.entries<object>(description(basePath).paths))
    for (const method of Object.keys(item)) {
      if (path.endsWith('openapi.json')) continue
      const wanted = `${method.toUpperCase()} ${path.replace(/\{\w+\}/g, '{id}')}`
      assert.ok(called.includes(wanted), `${wanted}: give docs/api.md an example with curl`)
    }
})

test('CHANGELOG.md names the version of the database', () => {
  const named = `The database becomes version ${latestVersion},`
  assert.ok(read('CHANGELOG.md').includes(named), named)
})

test('docs/timer.md has every key of the style with its default, and an example that is taken', () => {
  const text = read('docs/timer.md')
  const presetsAt = text.indexOf('## Presets')
  const rows = rowsOf(text.slice(0, presetsAt)).filter(([key]) => key?.startsWith('`'))
  assert.deepEqual(
    rows.map(([key, , leftOut]) => [key, leftOut]),
    Object.entries(defaultTimerStyle).map(([key, value]) => [`\`${key}\``, `\`${JSON.stringify(value)}\``]),
  )
  for (const font of timerFonts) assert.ok(rows[1]?.[1]?.includes(`\`${font}\``), font)
  for (const preset of timerPresets) assert.ok(rows[0]?.[1]?.includes(`\`${preset}\``), preset)
  const faults: Fault[] = []
  for (const example of blocks(text, 'json')) checkTimerStyle(JSON.parse(example), '', faults)
  assert.deepEqual(faults, [])
})

test('docs/operating.md has every setting with its flag', () => {
  const rows = rowsOf(read('docs/operating.md'))
  for (const { variable, flag } of Object.values(settingNames)) {
    assert.ok(
      rows.some((row) => row[0] === `\`${variable}\`` && row[1] === `\`--${flag}\``),
      variable,
    )
  }
})

test('docs/operating.md has the settings without a flag', () => {
  const rows = rowsOf(read('docs/operating.md'))
  const read_ = [...read('src/config.ts').matchAll(/const \{ ([^}]+) \} = process\.env/g)].flatMap(([, names = '']) =>
    names.split(', ').map((name) => name.split(':')[0] as string),
  )
  assert.deepEqual(read_.sort(), [
    ...['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ISSUER', 'OIDC_ONLY'],
    ...['PGOPTIONS', 'PGPORT', 'PGSSLMODE', 'SMTP_FROM', 'SMTP_URL', 'TZDIR'],
  ])
  for (const name of read_)
    assert.ok(
      rows.some((row) => row[0] === `\`${name}\`` && row[1] === ''),
      name,
    )
})

test('docs/operating.md has every command, and no other', () => {
  const rows = (text: string, row: RegExp) => [...text.matchAll(row)].map(([, name]) => name)
  const commands = rows(read('src/cli/main.ts'), /^ {2}'?([a-z]+(?:[ -][a-z]+)*)'?: async \(\) =>/gm)
  assert.ok(commands.length > 20)
  const table = read('docs/operating.md').split('\n## Commands\n')[1]?.split('\n## ')[0] ?? ''
  assert.deepEqual(rows(table, /^\| `([a-z]+(?:[ -][a-z]+)*)[ `]/gm).sort(), commands.sort())
})

test('docs/operating.md has every metric, and every option of an endpoint', () => {
  const text = read('docs/operating.md')
  const metrics = [...read('src/http/metrics.ts').matchAll(/name: '(lastcall_\w+)'/g)].map(([, name]) => name as string)
  assert.ok(metrics.length > 10)
  for (const name of metrics) assert.match(text, new RegExp(`^\\|.*\`${name}\\b.*\\|$`, 'm'), name)
  const [create = ''] = /^\| `webhook create .*$/m.exec(text) ?? []
  const [, settings = ''] = /^const settings: .*?= \{\n(.*?)^\}/ms.exec(read('src/cli/webhooks.ts')) ?? []
  const options = [...settings.matchAll(/\['([a-z-]+)', /g)].map(([, option]) => option as string)
  assert.ok(options.length > 8)
  for (const option of options) assert.ok(create.includes(`--${option} `), option)
})

test('docs/operating.md names the services of an export', () => {
  const [, does = ''] =
    rowsOf(read('docs/operating.md')).find(([command]) => command?.startsWith('`lead export ')) ?? []
  const [, named = ''] = /for that service: (.*?), which/.exec(does) ?? []
  assert.deepEqual(named.match(/\w+(?=`)/g)?.sort(), mailServiceNames.toSorted())
})

test('docs/mechanism.md: every example is valid, and simulate answers what is printed', () => {
  const examples = blocks(read('docs/mechanism.md'), 'json').map((block) => JSON.parse(block))
  // One at least of each.
  const checked: Record<Deadline['kind'] | 'campaign' | 'story', number> = {
    ...{ campaign: 0, story: 0, fixed: 0, after: 0, daysAt: 0, next: 0, none: 0 },
  }
  for (const [index, example] of examples.entries()) {
    const first = Array.isArray(example) ? example[0] : example
    if ('events' in first) {
      assert.deepEqual(simulate(example), { answers: examples[index + 1] })
      checked.story += 1
    } else if ('pages' in first) {
      assert.ok('campaign' in checkCampaign(example))
      checked.campaign += 1
    } else if ('startsOn' in first) {
      const faults: Fault[] = []
      checkSchedule({ timeZone: 'Europe/Warsaw', mechanism: example }, faults)
      assert.deepEqual(faults, [])
      checked[example.deadline.kind as Deadline['kind']] += 1
    } else assert.ok(Array.isArray(example), 'only the answers to a story are none of these')
  }
  for (const [what, count] of Object.entries(checked)) assert.ok(count > 0, what)
})

test('docs/api.md: the snippet tries again and gives up', { timeout: 400_000 }, async (t) => {
  const [snippet = ''] = blocks(read('docs/api.md'), 'js')
  const answers = [503, 502, 504, 429, 201]
  const server = createServer((_req, res) => {
    const status = answers.shift() ?? 503
    const isPage = status === 502
    res.writeHead(status, {
      'Content-Type': isPage ? 'text/html' : 'application/json',
      ...(status === 429 && { 'Retry-After': '1' }),
    })
    res.end(isPage ? '<h1>502 Bad Gateway</h1>' : '{"created":true}')
  })
  t.after(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  process.env.LASTCALL_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  process.env.LASTCALL_KEY = 'lastcall_of.nobody'

  // Twenty times as fast as a caller would have it.
  const { setTimeout } = globalThis
  t.mock.method(globalThis as any, 'setTimeout', (end: () => void, ms = 0, ...args: []) =>
    setTimeout(end, ms / 20, ...args),
  )

  const { call } = await import(`data:text/javascript,${encodeURIComponent(snippet)}`)
  const { status, body } = await call('POST', '/campaigns/1/leads', { email: 'ada@example.com' })
  assert.deepEqual({ status, body, left: answers.length }, { status: 201, body: { created: true }, left: 0 })
  await assert.rejects(call('GET', '/campaigns'), /gave up after 5 tries: 503/)
})

test('docs/webhooks.md: the Node example verifies what is signed, and nothing else', async () => {
  const [example = ''] = blocks(read('docs/webhooks.md'), 'js')
  const { isFromLastcall } = await import(`data:text/javascript,${encodeURIComponent(example)}`)
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const now = new Date()
  const signature = new Webhook(secret).sign('evt_1', now, '{"a":1}')
  const at = String(Math.floor(now.getTime() / 1_000))
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': at, 'webhook-signature': `v1,AAAA ${signature}` }
  assert.equal(isFromLastcall(headers, '{"a":1}', secret), true)
  assert.equal(isFromLastcall(headers, '{"a":2}', secret), false)
  assert.equal(isFromLastcall({ ...headers, 'webhook-timestamp': '1' }, '{"a":1}', secret), false)
  assert.equal(isFromLastcall({}, '{"a":1}', secret), false)
  assert.equal(isFromLastcall(headers, '{"a":1}', `whsec_${Buffer.alloc(32, 8).toString('base64')}`), false)
})

test('docs/webhooks.md: the code step takes what is signed, and nothing else, in n8n and in Zapier', async () => {
  const step = blocks(read('docs/webhooks.md'), 'js').at(-1) as string
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const lines = step.replace('whsec_…', secret).split('\n')
  const given = lines.findIndex((line) => line.includes('$input'))
  const last = lines.findIndex((line) => line.startsWith('return'))
  const inZapier = lines.with(given, 'const { body, ...headers } = inputData').with(last, 'return JSON.parse(body)')
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor
  const stepOf = (code: string[]) => new AsyncFunction('require', '$input', 'inputData', code.join('\n'))
  const [n8n, zapier] = [stepOf(lines), stepOf(inZapier.toSpliced(given + 1, 1))]
  const require = createRequire(import.meta.url)
  const run = (body: string, headers: Record<string, string>) => {
    const here = { helpers: { getBinaryDataBuffer: async () => Buffer.from(body) } }
    return [
      n8n.call(here, require, { first: () => ({ json: { headers } }) }),
      zapier.call({}, require, undefined, { body, ...headers }),
    ]
  }
  const now = new Date()
  const event = '{"type":"lead.expired","data":{"campaignName":"Kurs \u0142"}}'
  const at = String(Math.floor(now.getTime() / 1_000))
  const signature = `v1,AAAA ${new Webhook(secret).sign('evt_1', now, event)}`
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': at, 'webhook-signature': signature }
  assert.deepEqual(await Promise.all(run(event, headers)), [[{ json: JSON.parse(event) }], JSON.parse(event)])
  const early = new Date(now.getTime() - 400_000)
  const old = {
    'webhook-timestamp': String(Math.floor(early.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', early, event),
  }
  for (const [body, changed] of [
    [event.replace('ł', 'l'), headers],
    [event, { ...headers, ...old }],
    [event, {}],
  ] as const)
    for (const one of await Promise.allSettled(run(body, changed)))
      assert.match(String(one.status === 'rejected' && one.reason), /not from Lastcall/)
})

test('docs/webhooks.md has every kind, every operation of the API for events, and its errors with their status', () => {
  const rows = rowsOf(read('docs/webhooks.md'))
  const first = rows.map(([cell]) => cell)
  const calls = eventOperations.map(({ method, path }) => `${method} ${path}`)
  for (const one of [...eventKinds, ...calls]) assert.ok(first.includes(`\`${one}\``), one)
  const listed = first.filter((cell) => /^`(?:GET|POST|PATCH|DELETE) /.test(cell ?? ''))
  assert.deepEqual(listed.sort(), calls.map((one) => `\`${one}\``).sort())
  const codes = new Set<string>(['FORBIDDEN', 'WEBHOOKS_OFF', ...eventOperations.flatMap(({ errors }) => errors)])
  for (const code of codes) {
    if (!(code in besideStatus)) continue
    const status = String(besideStatus[code as BesideCode])
    assert.ok(
      rows.some((row) => row[0] === status && row[1] === `\`${code}\``),
      code,
    )
  }
})

test('every relative link in the documents points to a file, and to a heading of it', () => {
  const documents = globSync('**/*.md', {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|data)$/.test(path),
  })
  assert.ok(documents.includes('docs/api.md'))
  for (const document of documents) {
    const prose = read(document)
      .replace(/^```.*?^```$/gms, '')
      .replace(/`[^`\n]*`/g, '')
    for (const [link, target = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      const [path = '', anchor] = target.split('#')
      const file = path === '' ? document : join(dirname(document), path)
      assert.ok(existsSync(join(root, file)), `${document}: ${link}`)
      if (anchor !== undefined) assert.ok(anchors(read(file)).includes(anchor), `${document}: ${link}`)
    }
  }
})

/** As GitHub makes them from headings. */
function anchors(text: string): string[] {
  const headings = [...text.replace(/^```.*?^```$/gms, '').matchAll(/^#+ (.*)$/gm)].map(
    ([, heading]) => heading as string,
  )
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('row 6: the shipped settings of both proxies limit tries to sign in, and nothing else', () => {
  const nginx = read('deploy/nginx.conf')
  assert.match(
    nginx,
    /map "\$request_method \$uri" \$signing_in \{[^}]*"POST \/panel\/api\/session" \$binary_remote_addr;/,
  )
  assert.match(nginx, /limit_req_zone \$signing_in zone=signing_in:10m rate=30r\/m;/)
  assert.match(nginx, /location \/ \{\s+limit_req zone=signing_in burst=10 nodelay;\s+limit_req_status 429;/)
  const caddy = read('deploy/Caddyfile').replaceAll(/^\t# ?/gm, '')
  assert.match(
    caddy,
    /@signing_in \{\s+method POST\s+path \/panel\/api\/session\s+\}\s+route @signing_in \{\s+rate_limit/,
  )
  assert.match(caddy, /key \{remote_host\}\s+events 30\s+window 1m/)
})
