// A deleted campaign may leave a million leads behind: removing them at once would stop everything else.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Configuration } from '../store/configuration.ts'
import type { DeletedCampaign, Leftover } from '../store/model.ts'

type Removing = Pick<Configuration, 'deletedCampaigns' | 'removeDeleted'>

const roundMs = 1_000
/** Others have their turn between two steps. */
const pauseMs = 20

/** Removes what deleted campaigns have left, bit by bit, until the returned function is called. */
export function removeDeletedCampaigns({ configuration }: { configuration: Removing }): () => void {
  let isOver = false
  let timer = setTimeout(removeAll, roundMs).unref()

  async function removeAll(): Promise<void> {
    // Where the database is locked or gone, the next round tries again.
    const deleted = await configuration.deletedCampaigns().catch(() => [])
    // One that cannot be removed stops none of the others.
    const pause = () => sleep(pauseMs)
    for (const campaign of deleted) await removeWhole(configuration, campaign, pause, () => isOver).catch(() => {})
    if (!isOver) timer = setTimeout(removeAll, roundMs).unref()
  }

  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/** Removes one of them, step by step: others have their turn in `pause`. */
export async function removeWhole(
  { removeDeleted }: Pick<Configuration, 'removeDeleted'>,
  campaign: DeletedCampaign,
  pause: () => Promise<unknown>,
  isStopped = () => false,
): Promise<void> {
  let left: Leftover | null = campaign
  while (left !== null && !isStopped()) {
    left = await removeDeleted(left)
    if (left !== null) await pause()
  }
}
