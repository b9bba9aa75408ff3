// widget/v1.js, minified by a thread when it is first requested.
import { createHash } from 'node:crypto'
import { startThread } from '../../threads/start.ts'

/** The script as bytes, plain and compressed, and a hash of them that names this version of it. */
export type WidgetScript = { hash: string; plain: Buffer; gzip: Buffer; br: Buffer }

/** What the thread sends. */
export type SmallScript = { plain: Uint8Array; gzip: Uint8Array; br: Uint8Array }

let made: Promise<WidgetScript> | undefined

/** Made once in a process; after a failure it is tried again. Rejects if the source cannot be read or is broken. */
export function widgetScript(): Promise<WidgetScript> {
  made ??= makeSmall().catch((error) => {
    made = undefined
    throw error
  })
  return made
}

function makeSmall(): Promise<WidgetScript> {
  return new Promise((resolve, reject) => {
    const worker = startThread(new URL('./widget-worker.ts', import.meta.url))
    worker.once('message', ({ plain, gzip, br }: SmallScript) => {
      const hash = createHash('sha256').update(plain).digest('hex').slice(0, 16)
      resolve({ hash, plain: Buffer.from(plain), gzip: Buffer.from(gzip), br: Buffer.from(br) })
    })
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the thread ended without a script')))
  })
}
