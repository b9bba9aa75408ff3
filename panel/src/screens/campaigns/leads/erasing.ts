// Erasing leads waits for ten seconds, in which it can be taken back; it does so wherever the reader goes.
import { useSyncExternalStore } from 'react'
import { call } from '../../../api.ts'
import { atSignOut, stayOpen } from '../../../leaving.ts'
import { toast, toastFailure } from '../../../parts/toast.tsx'

export const waitsMs = 10_000

type Erasing = { campaignId: number; refs: readonly string[] }
type Said = { waits: string; undo: string; done: string; failed: string }

let waiting: { finish(): Promise<void> } | undefined
/** Those that are as good as gone: no list shows them. */
let hidden: readonly string[] = []
const listeners = new Set<() => void>()

function hide(refs: readonly string[]): void {
  hidden = refs
  for (const listener of listeners) listener()
}

/** The leads vanish from the lists now and are erased when the time is up, or before another erasure begins. */
export async function eraseSoon({ campaignId, refs }: Erasing, said: Said, onErased: () => unknown): Promise<void> {
  await waiting?.finish()
  hide(refs)
  // Others may be waiting by then.
  const showAgain = () => hidden === refs && hide([])
  const mayClose = stayOpen()
  const end = () => {
    window.clearTimeout(timer)
    mayClose()
    waiting = undefined
  }
  const finish = async () => {
    end()
    try {
      await call('POST /campaigns/:campaignId/leads/erasure', { params: { campaignId }, body: { refs: [...refs] } })
      toast(said.done)
    } catch {
      toastFailure(said.failed)
    }
    await onErased()
    showAgain()
  }
  const timer = window.setTimeout(finish, waitsMs)
  waiting = { finish }
  const undo = () => {
    end()
    showAgain()
  }
  toast(said.waits, { name: said.undo, onClick: undo })
}

export function useHidden(): readonly string[] {
  return useSyncExternalStore(onChange, () => hidden)
}

/** What is waiting is done before the session ends. */
export const finishErasing = async (): Promise<void> => waiting?.finish()

atSignOut(() => hide([]))

function onChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
