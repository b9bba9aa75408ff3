import { StoreUnavailable } from '../errors.ts'
import { latestVersion } from '../migrations.ts'
import type { OpenOptions } from '../store.ts'
import { clientConfig, isGone, type Listener, listen, notOurs } from './connection.ts'
import { channel } from './sql-on.ts'

/**
 * How often the connection that listens is asked something, to see that it still works, and how long it may take to
 * answer.
 */
const beatMs = 250
const beatTimeoutMs = 300

const question = 'SELECT ref_key, version FROM installation, schema_version'

type AnnouncementsOptions = Pick<OpenOptions, 'onNewerDatabase' | 'onLost'> & {
  url: string
  /** Tells this installation from every other. */
  refKey: Uint8Array
  /**
   * Called when any node has changed accounts, keys or campaigns. Also called again and again while the connection is
   * gone: a change may have been missed then, and what is remembered may be too old.
   */
  changed(): void
}

/** @throws WrongAddress */
export function hearAnnouncements({ url, refKey, changed, onNewerDatabase, onLost }: AnnouncementsOptions) {
  const config = clientConfig(url, {})
  let listener: Listener | undefined
  let isClosed = false
  let isHeard = true
  let isOurs = true
  let isNewer = false
  let timer: NodeJS.Timeout | undefined

  async function beat(): Promise<void> {
    const wasHeard: boolean = isHeard
    const trouble = await ask()
    isHeard = trouble === undefined
    if (!isHeard || !wasHeard) changed()
    if (isClosed) return
    if (!isHeard && wasHeard) onLost?.(trouble)
    timer = setTimeout(beat, beatMs)
    timer.unref()
  }

  /** Resolves with what is wrong with the database, undefined where it is as it should be. */
  async function ask(): Promise<unknown> {
    try {
      if (listener === undefined) {
        listener = await listen(config, channel, changed)
        // A change from before it listened may have been missed.
        changed()
        if (isClosed) listener.close()
      }
      const row = await listener.ask(question, beatTimeoutMs)
      if (!isNewer && row !== undefined && row.version > latestVersion) {
        isNewer = true
        onNewerDatabase?.()
      }
      isOurs = !isNewer && row !== undefined && Buffer.compare(row.ref_key, refKey) === 0
      return isOurs ? undefined : new StoreUnavailable(notOurs)
    } catch (error) {
      if (isGone(error)) isOurs = false
      else {
        listener?.close()
        listener = undefined
      }
      return error
    }
  }

  return {
    /** Resolves once it is known whether the database answers. */
    begun: beat(),
    /** True while the database answers, so that no announcement can be missed. */
    isHeard: () => isHeard,
    /** False once it has answered that it is another one than the one that was opened, or is newer than this program. */
    isOurs: () => isOurs,
    close(): void {
      isClosed = true
      clearTimeout(timer)
      listener?.close()
    },
  }
}
