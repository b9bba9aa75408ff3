// A deleted campaign may leave a million leads behind: removing them at once would stop everything else.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Store } from '../store/store.ts'

const lookMs = 1_000
/** Others have their turn between two steps. */
const pauseMs = 20

/** Removes what deleted campaigns have left, bit by bit, until the returned function is called. */
export function removeDeletedCampaigns({ configuration }: Pick<Store, 'configuration'>): () => void {
  let isOver = false
  let timer = setTimeout(look, lookMs).unref()

  async function look(): Promise<void> {
    try {
      for (const campaign of await configuration.deletedCampaigns()) {
        while (!isOver && !(await configuration.removeDeleted(campaign))) await sleep(pauseMs)
      }
    } catch {
      // The database is locked or gone: the next look tries again.
    }
    if (!isOver) timer = setTimeout(look, lookMs).unref()
  }

  return () => {
    isOver = true
    clearTimeout(timer)
  }
}
