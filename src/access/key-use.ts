import { setImmediate as nextTurn } from 'node:timers/promises'
import type { KeyUse } from '../store/model.ts'
import type { Store } from '../store/store.ts'

const flushMs = 3_000
/** Keys kept in memory. With so many remembered all are forgotten; with so many waiting, further uses are lost. */
const mostKeys = 10_000
/** Stored in one transaction, and on the embedded database in one turn of the event loop. */
const portion = 500

export type KeyUses = {
  /** Notes that a key let a request in, at a time of the wall clock. Returns at once; nobody waits for it. */
  note(keyId: string, atMs: number): void
  /** Stores what waits, as far as the database lets it. */
  close(): Promise<void>
}

/**
 * Keeps when keys were last used: the first use in each minute, stored some seconds later. If storing fails, it is
 * tried again.
 */
export function openKeyUses(store: Pick<Store, 'configuration'>): KeyUses {
  const minutes = new Map<string, number>()
  let waiting = new Map<string, KeyUse>()
  let timer: NodeJS.Timeout | undefined
  let storing: Promise<void> | undefined

  function wait(use: KeyUse): void {
    if (waiting.size < mostKeys || waiting.has(use.keyId)) waiting.set(use.keyId, use)
  }

  function arm(): void {
    timer ??= setTimeout(() => {
      timer = undefined
      storing ??= flush().finally(() => {
        storing = undefined
        if (waiting.size > 0) arm()
      })
    }, flushMs)
  }

  async function flush(): Promise<void> {
    const uses = [...waiting.values()]
    waiting = new Map()
    for (let from = 0; from < uses.length; from += portion) {
      try {
        await store.configuration.noteKeyUses(uses.slice(from, from + portion))
      } catch {
        // A later use of the same key may wait by now.
        for (const use of uses.slice(from)) if (!waiting.has(use.keyId)) wait(use)
        return
      }
      await nextTurn()
    }
  }

  return {
    note(keyId, atMs) {
      const minute = Math.floor(atMs / 60_000)
      if (minutes.get(keyId) === minute) return
      if (minutes.size >= mostKeys) minutes.clear()
      minutes.set(keyId, minute)
      wait({ keyId, usedAt: Math.floor(atMs / 1_000) })
      arm()
    },
    async close() {
      await storing
      clearTimeout(timer)
      await flush()
    },
  }
}
