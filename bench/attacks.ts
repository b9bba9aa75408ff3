// What hostile.ts sends: slow and hostile clients, and heads of 8 kB of any content.
import type { Attack } from './hostile-load.ts'

export type Target = { campaignId: number; key: string; ref: string; pageId: number }
export type Way = 'without a key' | 'with a key'

export type Kind = Pick<Attack, 'begin'> & Partial<Attack>

const headBytes = 8_000

/** Contents of a head of 8 kB: header fields behind a path, or a path with a query. */
const contents: Record<string, (path: string) => { path: string; fields: string }> = {
  'letters, to compare with': field('a'.repeat(headBytes)),
  spaces: field(`a${' '.repeat(headBytes)}b`),
  tabs: field(`a${'\t'.repeat(headBytes)}b`),
  'spaces and tabs': field(`a${' \t'.repeat(headBytes / 2)}b`),
  commas: field(','.repeat(headBytes)),
  'commas and spaces': field(', '.repeat(headBytes / 2)),
  semicolons: field(';'.repeat(headBytes)),
  'semicolons and equals signs': field(';a='.repeat(headBytes / 3)),
  quotes: field('"'.repeat(headBytes)),
  'backslashes and quotes': field('"\\"'.repeat(headBytes / 3)),
  percent: field('%'.repeat(headBytes)),
  'bytes above 127': field('\xe9'.repeat(headBytes)),
  'repeated fields': (path) => ({ path, fields: 'X-Forwarded-For: a\r\n'.repeat(headBytes / 20) }),
  'many fields': (path) => ({ path, fields: lines((n) => `x${n}: 1`) }),
  'a long cookie': (path) => ({ path, fields: `Cookie: a=${'b'.repeat(headBytes)}\r\n` }),
  'many cookies': (path) => ({ path, fields: `Cookie: ${'a="%41"; '.repeat(headBytes / 9)}\r\n` }),
  'a long query': (path) => ({ path: `${path}?a=${'b'.repeat(headBytes)}`, fields: '' }),
  'many parameters': (path) => ({ path: `${path}?${'a=1&'.repeat(headBytes / 4)}`, fields: '' }),
  'many parameters of pluses': (path) => ({ path: `${path}?${'+=+&'.repeat(headBytes / 4)}`, fields: '' }),
  'a query of percent signs': (path) => ({ path: `${path}?a=${'%'.repeat(headBytes)}`, fields: '' }),
  'a query of escapes': (path) => ({ path: `${path}?a=${'%C3%A9'.repeat(headBytes / 6)}`, fields: '' }),
  'a long path': (path) => ({ path: path + '/a'.repeat(headBytes / 2), fields: '' }),
}

/** Fields that servers look into, so that the content meets whatever reads them. */
const readFields = ['Accept', 'Accept-Language', 'Content-Type', 'Cookie', 'User-Agent', 'X-Forwarded-For']

/** The same content in each of the fields that are read, one request each. */
function field(value: string): (path: string) => { path: string; fields: string } {
  let turn = 0
  return (path) => ({ path, fields: `${readFields[turn++ % readFields.length]}: ${value}\r\n` })
}

function lines(of: (n: number) => string): string {
  let text = ''
  for (let n = 0; text.length < headBytes; n += 1) text += `${of(n)}\r\n`
  return text
}

export const contentNames = Object.keys(contents)

/** Whole requests with a head of such content, to each surface; with a key to the API alone. */
export function requestsOf(content: string, way: Way, target: Target): { surface: string; requests: string[] }[] {
  const make = contents[content] as (typeof contents)[string]
  const api = `/api/public/v1/campaigns/${target.campaignId}/leads/lookup`
  const surfaces: [name: string, method: string, path: string][] =
    way === 'with a key'
      ? [['API', 'POST', api]]
      : [
          ['API', 'POST', api],
          ['link', 'GET', `/go/${target.pageId}/${target.ref}`],
          ['image', 'GET', `/timer/en/${target.ref}.gif`],
          ['panel', 'GET', '/panel/api/session'],
        ]
  return surfaces.map(([surface, method, at]) => {
    const requests = readFields.map(() => {
      const { path, fields } = make(at)
      const body = method === 'POST' ? '{"email":"nobody@example.com"}' : ''
      const length = body === '' ? '' : `Content-Length: ${body.length}\r\n`
      // Content that stands in Content-Type itself is judged by what refuses it.
      const type = body === '' || fields.startsWith('Content-Type') ? '' : 'Content-Type: application/json\r\n'
      return `${method} ${path} HTTP/1.1\r\nHost: a\r\n${keyField(way, target)}${type}${length}${fields}\r\n${body}`
    })
    return { surface, requests }
  })
}

function keyField(way: Way, { key }: Target): string {
  return way === 'with a key' ? `Authorization: Bearer ${key}\r\n` : ''
}

/** Each kind of slow or hostile client by its name. */
export function kindsOf(way: Way, target: Target): Record<string, Kind> {
  const path = `/api/public/v1/campaigns/${target.campaignId}/leads/lookup`
  const start = `POST ${path} HTTP/1.1\r\nHost: a\r\n${keyField(way, target)}Content-Type: application/json\r\n`
  const whole = `${start}Content-Length: 30\r\n\r\n{"email":"nobody@example.com"}`
  const tiny = `GET / HTTP/1.1\r\nHost:a\r\n${keyField(way, target)}\r\n`
  const tenMegabytes = `${start}Content-Length: 10000000\r\n\r\n`
  const chunk = `2000\r\n${' '.repeat(0x2000)}\r\n`
  const slow = { bytes: 1, everyMs: 100 }
  const poured = { bytes: 65_536, everyMs: 0 }
  return {
    idle: { begin: [way === 'with a key' ? whole : ''], connections: 2_000 },
    'slow heads': { begin: [`${start}X-Slow: `], stream: 'x', ...slow },
    'slow bodies': { begin: [`${start}Content-Length: 16000\r\n\r\n`], stream: ' ', ...slow },
    pipelines: { begin: [whole], stream: whole.repeat(100), ...poured, bytes: whole.length * 100 },
    'pipelines, answers never read': {
      ...{ begin: [whole], stream: whole.repeat(100), ...poured, bytes: whole.length * 100 },
      reads: false,
    },
    'pipelines of tiny requests': { begin: [tiny], stream: tiny.repeat(2_000), ...poured, bytes: tiny.length * 2_000 },
    'bodies of 10 MB': { begin: [tenMegabytes], stream: ' '.repeat(65_536), ...poured },
    'bodies of 10 MB, in chunks': {
      ...{ begin: [`${start}Transfer-Encoding: chunked\r\n\r\n`], stream: chunk, everyMs: 0 },
      bytes: chunk.length,
    },
    ...Object.fromEntries(
      contentNames.map((content) => [
        `heads of 8 kB: ${content}`,
        { begin: requestsOf(content, way, target).flatMap(({ requests }) => requests), asksAgain: true },
      ]),
    ),
  }
}
