// Erasing leads waits for ten seconds, in which it can be taken back; it does so wherever the reader goes.
import { useSyncExternalStore } from 'react'
import { type CallFailed, call } from '../../../api.ts'
import { atSignOut, stayOpen } from '../../../leaving.ts'
import { toast } from '../../../parts/toast.tsx'

const waitsMs = 10_000

type Erasing = { campaignId: number; refs: readonly string[] }
type Said = { waits: string; undo: string; done: string; failed(error: CallFailed): void }

let waiting: { finish(): Promise<void>; undo(): void } | undefined
/** Resolves when all that was asked for so far is done: one erasure after the other. */
let asked: Promise<void> = Promise.resolve()
/** Those that are as good as gone: no list shows them. */
let hidden: readonly string[] = []
/** What was asked for in a session that is over is not done in the name of who goes on in another. */
let session = 0
const listeners = new Set<() => void>()

function hide(refs: readonly string[]): void {
  hidden = refs
  for (const listener of listeners) listener()
}

/** The leads vanish from the lists now and are erased when the time is up, or when another erasure begins. */
export function eraseSoon({ campaignId, refs }: Erasing, said: Said, onErased: () => unknown): void {
  waiting?.finish()
  hide([...hidden, ...refs])
  const showAgain = () => hide(hidden.filter((ref) => !refs.includes(ref)))
  const mayClose = stayOpen()
  const askedIn = session
  const end = () => {
    window.clearTimeout(timer)
    takeUndoAway()
    waiting = undefined
  }
  const erase = async () => {
    if (askedIn !== session) return mayClose()
    try {
      await call('POST /campaigns/:campaignId/leads/erasure', { params: { campaignId }, body: { refs: [...refs] } })
      toast(said.done)
    } catch (error) {
      said.failed(error as CallFailed)
    }
    mayClose()
    await onErased()
    showAgain()
  }
  const finish = () => {
    end()
    // Also where the one before could not be shown.
    asked = asked.then(erase, erase)
    return asked
  }
  const timer = window.setTimeout(finish, waitsMs)
  const undo = () => {
    end()
    mayClose()
    showAgain()
  }
  waiting = { finish, undo }
  const takeUndoAway = toast(said.waits, { name: said.undo, onClick: undo })
}

export function useHidden(): readonly string[] {
  return useSyncExternalStore(onChange, () => hidden)
}

/** What is waiting, or under way, is done before the session ends. Undefined where nothing is. */
export const finishErasing = (): Promise<void> | undefined =>
  hidden.length === 0 ? undefined : (waiting?.finish() ?? asked)

atSignOut(() => {
  session += 1
  waiting?.undo()
  hide([])
})

function onChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
