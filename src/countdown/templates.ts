// The templates of countdown images: built in a thread, kept in memory as long as they are in use.
import { createHash } from 'node:crypto'
import type { Worker } from 'node:worker_threads'
import type { Seconds } from '../core/instant.ts'
import type { MailLanguage } from '../core/mail-language.ts'
import { fullTimerStyle, type GivenTimerStyle, type TimerStyle } from '../core/timer-style.ts'
import { startThread } from '../threads/start.ts'
import { openTemplate } from './packed.ts'
import { ENGINE_VERSION, type Template } from './template.ts'

export type Build = { style: TimerStyle; language: MailLanguage }

/**
 * Keeps templates for every process: the store's `templates`. If what `read` returns is broken, or of another version,
 * the template is built again.
 */
export type PersistentCache = {
  read(key: string): Promise<Uint8Array | undefined>
  write(key: string, template: Uint8Array, at: Seconds): Promise<void>
}

/** Calls `build` when it is the caller's turn. If it rejects, so does what was asked for. */
export type Turn = (build: () => Promise<Uint8Array>) => Promise<Uint8Array>

export type Templates = ReturnType<typeof openTemplates>

/** There is no template now; a later try may succeed. */
export class TemplateUnavailable extends Error {
  override name = 'TemplateUnavailable'
}

type TemplateLimits = { memoryBytes: number; waitingBuilds: number; buildMs: number }

/** Room for the previews of the last few minutes. */
const previewBytes = 8 * 2 ** 20

const usualLimits: TemplateLimits = { memoryBytes: 64 * 2 ** 20, waitingBuilds: 100, buildMs: 30_000 }

/** 32 hexadecimal digits that stand for what an image depends on besides the time left. */
export function templateKey(style: GivenTimerStyle, language: MailLanguage): string {
  const full = fullTimerStyle(style)
  const { background, box, digits, labels, ...rest } = full
  const colours = [background, box, digits, labels].map((colour) => colour.toLowerCase())
  const facts = [ENGINE_VERSION, language, colours, Object.entries(rest).sort()]
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 32)
}

export function openTemplates(
  cache: PersistentCache | undefined,
  now: () => Seconds,
  limits: Partial<TemplateLimits> = {},
) {
  const { memoryBytes, waitingBuilds, buildMs } = { ...usualLimits, ...limits }
  const kept = recentlyUsed(memoryBytes)
  const previewed = recentlyUsed(previewBytes)
  const keys = new WeakMap<GivenTimerStyle, Partial<Record<MailLanguage, string>>>()
  const underWay = new Map<string, Promise<Template>>()
  const builder = openBuilder(buildMs)
  let waiting = 0

  /** Hashed once for each style object: campaigns are asked for again and again. */
  function keyOf(style: GivenTimerStyle, language: MailLanguage): string {
    const known = keys.getOrInsertComputed(style, () => ({}))
    known[language] ??= templateKey(style, language)
    return known[language]
  }

  async function read(key: string): Promise<Template | undefined> {
    const stored = await cache?.read(key).catch(() => undefined)
    const opened = stored && openTemplate(stored)
    return opened && kept.add(key, opened)
  }

  async function fetch(key: string, build: Build, turn: Turn): Promise<Template> {
    const stored = await read(key)
    if (stored !== undefined) return stored
    if (waiting >= waitingBuilds) {
      throw new TemplateUnavailable('too many countdown images are waiting to be built')
    }
    waiting += 1
    const built = await turn(() => builder.build(build)).finally(() => {
      waiting -= 1
    })
    // The image can be shown whether or not it can be kept.
    await cache?.write(key, built, now()).catch(() => undefined)
    return kept.add(key, openTemplate(built) as Template)
  }

  return {
    /** Rejects with TemplateUnavailable. */
    async get(style: GivenTimerStyle, language: MailLanguage, turn: Turn = (build) => build()): Promise<Template> {
      const key = keyOf(style, language)
      const template = kept.get(key) ?? underWay.get(key)
      if (template !== undefined) return template
      const fetched = fetch(key, { style: fullTimerStyle(style), language }, turn).finally(() => underWay.delete(key))
      underWay.set(key, fetched)
      return fetched
    },
    /** The same for a style that somebody only looks at: a template that is built for it is not stored. */
    async preview(style: GivenTimerStyle, language: MailLanguage, turn: Turn): Promise<Template> {
      const key = keyOf(style, language)
      const known = kept.get(key) ?? underWay.get(key) ?? previewed.get(key) ?? (await read(key))
      if (known !== undefined) return known
      const built = await turn(() => builder.build({ style: fullTimerStyle(style), language }))
      return previewed.add(key, openTemplate(built) as Template)
    },
    /** Ends what is being built; later calls are refused. */
    close: builder.close,
  }
}

/** Forgets the template that nobody has asked for the longest, but never the newest. */
function recentlyUsed(mostBytes: number) {
  const templates = new Map<string, Template>()
  let bytes = 0
  const sizeOf = ({ fragmentWords, fragments, frames }: Template) =>
    fragmentWords.byteLength + fragments.byteLength + frames.byteLength
  return {
    get(key: string): Template | undefined {
      const template = templates.get(key)
      if (template === undefined) return undefined
      templates.delete(key)
      templates.set(key, template)
      return template
    },
    add(key: string, template: Template): Template {
      // If two requests read the same template at once, the second finds it here: counted twice, it would take up room
      // for ever.
      const known = templates.get(key)
      if (known !== undefined) return known
      templates.set(key, template)
      bytes += sizeOf(template)
      for (const [oldest, forgotten] of templates) {
        if (bytes <= mostBytes || oldest === key) break
        templates.delete(oldest)
        bytes -= sizeOf(forgotten)
      }
      return template
    },
  }
}

/** One thread at a time, and none where nothing is to be built. */
function openBuilder(buildMs: number) {
  let last: Promise<unknown> = Promise.resolve()
  let running: Worker | undefined
  let isClosed = false

  function runThread(build: Build): Promise<Uint8Array> {
    if (isClosed) throw new TemplateUnavailable('the building of countdown images has ended')
    return new Promise((resolve, reject) => {
      const thread = startThread(new URL('./build-thread.ts', import.meta.url), { workerData: build })
      running = thread
      const timer = setTimeout(() => void thread.terminate(), buildMs)
      let built: Uint8Array | undefined
      thread.once('message', (template: Uint8Array) => {
        built = template
      })
      thread.once('error', (cause) => reject(new TemplateUnavailable('a countdown image failed', { cause })))
      thread.once('exit', () => {
        clearTimeout(timer)
        running = undefined
        if (built !== undefined) resolve(built)
        else reject(new TemplateUnavailable('the building of a countdown image was cut short'))
      })
    })
  }

  return {
    build(build: Build): Promise<Uint8Array> {
      const built = last.then(() => runThread(build))
      last = built.catch(() => undefined)
      return built
    },
    async close(): Promise<void> {
      isClosed = true
      await running?.terminate()
    },
  }
}
