// The countdown image of most campaigns in the tests has the usual style. Its templates take a second of a processor
// to build, so they are built once, by the product itself, and lie in each new database as those of earlier days do.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { MailLanguage } from '../../src/core/mail-language.ts'
import { languages } from '../../src/core/offer.ts'
import { fullTimerStyle, type GivenTimerStyle, type TimerStyle } from '../../src/core/timer-style.ts'
import { openTemplates, type PersistentCache, templateKey } from '../../src/countdown/templates.ts'
import type { Store } from '../../src/store/store.ts'
import { isFull } from './faults.ts'

const root = join(import.meta.dirname, '..', '..')

/** Named after the code that builds them: what it draws otherwise is built again. */
const folder = join(root, 'node_modules', '.cache', 'templates', codeHash('countdown'))

function codeHash(...rooms: string[]): string {
  const hash = createHash('sha256')
  for (const room of rooms)
    for (const name of readdirSync(join(root, 'src', room)).sort())
      hash.update(readFileSync(join(root, 'src', room, name)))
  return hash.digest('hex').slice(0, 16)
}

const nowSeconds = () => Math.floor(Date.now() / 1_000)

const files: PersistentCache = {
  async read(key) {
    try {
      return readFileSync(join(folder, key))
    } catch {
      return undefined
    }
  },
  /** At once or not at all: test files run side by side. */
  async write(key, template) {
    const path = join(folder, key)
    mkdirSync(folder, { recursive: true })
    writeFileSync(`${path}.${process.pid}`, template)
    renameSync(`${path}.${process.pid}`, path)
  },
}

async function buildUsualTemplates(): Promise<void> {
  const templates = openTemplates(files, nowSeconds)
  for (const language of languages) await templates.get({}, language)
  await templates.close()
}

/** Undefined where nobody has built it yet; in the long form it is for the usual style alone. */
export function usualTemplate(style: TimerStyle, language: MailLanguage): Uint8Array | undefined {
  const isUsual = isDeepStrictEqual(style, fullTimerStyle({}))
  const path = join(folder, templateKey(style, language))
  return (isUsual || !isFull) && existsSync(path) ? readFileSync(path) : undefined
}

/** What the store keeps, and what another test has had built: half a second of a processor each. */
export function builtOnce(cache: PersistentCache): PersistentCache {
  return {
    async read(key) {
      const kept = await cache.read(key)
      if (kept !== undefined) return kept
      const built = await files.read(key)
      if (built !== undefined) await cache.write(key, built, nowSeconds())
      return built
    },
    async write(key, template, at) {
      await Promise.all([files.write(key, template, at), cache.write(key, template, at)])
    },
  }
}

export async function shelveUsualTemplates(store: Store): Promise<void> {
  for (const language of languages) {
    const key = templateKey({}, language)
    if ((await store.templates.read(key)) !== undefined) continue
    await buildUsualTemplates()
    const template = (await files.read(key)) as Uint8Array
    await store.templates.write(key, template, nowSeconds())
  }
}

/** Those of a style, which another test may have had built. */
export async function shelveTemplates(store: Store, style: GivenTimerStyle): Promise<void> {
  const templates = openTemplates(builtOnce(store.templates), nowSeconds)
  for (const language of languages) await templates.get(style, language)
  await templates.close()
}
