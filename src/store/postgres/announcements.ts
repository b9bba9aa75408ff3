import { type Listener, listen } from './connection.ts'

/** How often the connection that listens is asked whether it still does, and how long it may take. */
const beatMs = 250
const beatPatienceMs = 300

export const channel = 'lastcall'

export type Announcements = {
  /** True while the database answers, and so while nothing can be missed. */
  isHeard(): boolean
  close(): void
}

/**
 * Calls `changed` when any node has changed accounts, keys or campaigns, and while nobody can tell whether one
 * has: as long as the connection is gone, all that is remembered is older than it may be.
 */
export function hearAnnouncements(url: string, changed: () => void): Announcements {
  let listener: Listener | undefined
  let isClosed = false
  let isHeard = true
  let timer: NodeJS.Timeout | undefined

  async function beat(): Promise<void> {
    const wasHeard: boolean = isHeard
    isHeard = await answers()
    if (!isHeard || !wasHeard) changed()
    if (isClosed) return
    timer = setTimeout(beat, beatMs)
    timer.unref()
  }

  async function answers(): Promise<boolean> {
    try {
      if (listener === undefined) {
        listener = await listen(url, channel, changed)
        // Before it listened, something may have been missed.
        changed()
        if (isClosed) listener.close()
        return true
      }
      if (await listener.isAlive(beatPatienceMs)) return true
      listener.close()
      listener = undefined
      return false
    } catch {
      return false
    }
  }

  beat()
  return {
    isHeard: () => isHeard,
    close() {
      isClosed = true
      clearTimeout(timer)
      listener?.close()
    },
  }
}
