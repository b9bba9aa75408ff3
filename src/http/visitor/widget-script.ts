// What stands at /widget/v1.js: the source in widget/v1.js, made small by a thread when it is first asked for.
import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'

/** The script as bytes, plain and compressed, and a hash of them that names this version of it. */
export type WidgetScript = { hash: string; plain: Buffer; gzip: Buffer; br: Buffer }

/** What the thread sends. */
export type SmallScript = { plain: Uint8Array; gzip: Uint8Array; br: Uint8Array }

export type WidgetAnswer = { status: 200 | 304; headers: string[]; body: Buffer }

let made: Promise<WidgetScript> | undefined

/** Made once in a process; what failed is tried again. Rejects if the source cannot be read or is broken. */
export function widgetScript(): Promise<WidgetScript> {
  made ??= makeSmall().catch((error) => {
    made = undefined
    throw error
  })
  return made
}

function makeSmall(): Promise<WidgetScript> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./widget-worker.ts', import.meta.url))
    worker.once('message', ({ plain, gzip, br }: SmallScript) => {
      const hash = createHash('sha256').update(plain).digest('hex').slice(0, 16)
      resolve({ hash, plain: Buffer.from(plain), gzip: Buffer.from(gzip), br: Buffer.from(br) })
    })
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread ended without a script')))
  })
}

const paths = /^\/widget\/v1(?:\.([0-9a-f]{16}))?\.js$/
const hour = 'public, max-age=3600'
const year = 'public, max-age=31536000, immutable'

/**
 * The answer to GET of a path, which is undefined where nothing of the widget stands. A page that names a version
 * of the past gets the present one: its offers are to end too.
 */
export function widgetAnswer(
  script: WidgetScript,
  path: string,
  asked: { 'accept-encoding'?: string | undefined; 'if-none-match'?: string | undefined },
): WidgetAnswer | undefined {
  const found = paths.exec(path)
  if (found === null) return undefined
  const etag = `W/"${script.hash}"`
  const headers = [
    ...['Cache-Control', found[1] === script.hash ? year : hour],
    ...['ETag', etag, 'Vary', 'Accept-Encoding'],
    ...['Access-Control-Allow-Origin', '*', 'Cross-Origin-Resource-Policy', 'cross-origin'],
  ]
  if (isKept(asked['if-none-match'], etag)) return { status: 304, headers, body: Buffer.alloc(0) }
  headers.push('Content-Type', 'text/javascript; charset=utf-8', 'X-Content-Type-Options', 'nosniff')
  for (const coding of ['br', 'gzip'] as const) {
    if (!accepts(asked['accept-encoding'] ?? '', coding)) continue
    return { status: 200, headers: [...headers, 'Content-Encoding', coding], body: script[coding] }
  }
  return { status: 200, headers, body: script.plain }
}

/** Compared weakly (RFC 9110, section 13.1.2). */
function isKept(ifNoneMatch = '', etag: string): boolean {
  const kept = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^(?!W\/)/, 'W/'))
  return kept.includes(etag)
}

function accepts(acceptEncoding: string, coding: string): boolean {
  const entries = acceptEncoding.split(',').map((entry) => entry.split(';').map((part) => part.trim()))
  const entry = entries.find(([name = '']) => name.toLowerCase() === coding)
  return entry !== undefined && !entry.slice(1).some((part) => /^q=0(?:\.0*)?$/i.test(part))
}
