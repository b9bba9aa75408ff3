// What an import of leads has come to. It goes on while the reader is elsewhere in the panel, and its report waits.
import { useSyncExternalStore } from 'react'
import type { CallFailed } from '../../../api.ts'
import { atSignOut, stayOpen } from '../../../leaving.ts'
import { importFile, type Report } from './import-run.ts'
import { NoEmailColumn } from './read-emails.ts'

export type Phase = 'ready' | 'running' | 'done' | 'stopped'
export type Importing = {
  phase: Phase
  report: Report | null
  trouble: 'noEmailColumn' | 'tooBig' | 'unreadable' | null
  /** What the service did not take, until it is tried again. */
  failed: { error: CallFailed; refetch(): void } | null
}

const largestBytes = 200 * 1_048_576
const nothing: Importing = { phase: 'ready', report: null, trouble: null, failed: null }

const imports = new Map<number, Importing>()
const stoppers = new Map<number, AbortController>()
const listeners = new Set<() => void>()

function put(campaignId: number, changes: Partial<Importing>): void {
  imports.set(campaignId, { ...(imports.get(campaignId) ?? nothing), ...changes })
  for (const listener of listeners) listener()
}

export function useImporting(campaignId: number): Importing {
  return useSyncExternalStore(onChange, () => imports.get(campaignId) ?? nothing)
}

function onChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Resolves when it is over, however it ended. */
export async function startImport(campaignId: number, file: File): Promise<void> {
  if (file.size > largestBytes) {
    put(campaignId, { ...nothing, trouble: 'tooBig' })
    return
  }
  const stopper = new AbortController()
  const { signal } = stopper
  stoppers.set(campaignId, stopper)
  put(campaignId, { ...nothing, phase: 'running' })
  const mayClose = stayOpen()
  const onFailed = (error: CallFailed) =>
    new Promise<void>((resolve) => {
      const goOn = () => {
        put(campaignId, { failed: null })
        resolve()
      }
      signal.addEventListener('abort', goOn, { once: true })
      put(campaignId, { failed: { error, refetch: goOn } })
    })
  const onProgress = (report: Report) => put(campaignId, { report })
  try {
    await importFile(file, { campaignId, signal, onProgress, onFailed })
    put(campaignId, { phase: 'done' })
  } catch (error) {
    // Signing out meanwhile left nothing behind.
    if (imports.has(campaignId)) put(campaignId, endOf(campaignId, signal, error))
  } finally {
    mayClose()
  }
}

/** What was imported before it broke has a report all the same. */
function endOf(campaignId: number, signal: AbortSignal, error: unknown): Partial<Importing> {
  if (signal.aborted) return { phase: 'stopped' }
  const trouble = error instanceof NoEmailColumn ? 'noEmailColumn' : 'unreadable'
  const isUnderWay = (imports.get(campaignId)?.report?.lines.length ?? 0) > 0
  return { phase: isUnderWay ? 'stopped' : 'ready', trouble }
}

export function stopImport(campaignId: number): void {
  stoppers.get(campaignId)?.abort()
}

export function forgetImport(campaignId: number): void {
  put(campaignId, nothing)
}

atSignOut(() => {
  for (const stopper of stoppers.values()) stopper.abort()
  imports.clear()
})
