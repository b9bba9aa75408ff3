// What an import of leads has come to. It goes on while the reader is elsewhere in the panel, and its report waits.
import { useSyncExternalStore } from 'react'
import { CallFailed } from '../../../api.ts'
import { atSignOut, stayOpen } from '../../../leaving.ts'
import { someListeners } from '../../../parts/listeners.ts'
import { type Foreseen, importFile, type Report, type Run, tryFile } from './import-run.ts'
import type { CsvFile } from './read-emails.ts'

/** An import into a draft is tried first, and then asked about. */
type Phase = 'ready' | 'trying' | 'asking' | 'running' | 'done' | 'stopped'
export type Importing = {
  phase: Phase
  report: Report | null
  trouble: 'tooBig' | 'unreadable' | null
  /** What the service did not take, until it is tried again. */
  failed: { error: CallFailed; refetch(): void } | null
  asked: { csv: CsvFile; foreseen: Foreseen } | null
}

const largestBytes = 200 * 1_048_576
const nothing: Importing = { phase: 'ready', report: null, trouble: null, failed: null, asked: null }

const imports = new Map<number, Importing>()
const stoppers = new Map<number, AbortController>()
const listeners = someListeners()

function put(campaignId: number, changes: Partial<Importing>): void {
  imports.set(campaignId, { ...(imports.get(campaignId) ?? nothing), ...changes })
  listeners.tell()
}

export function useImporting(campaignId: number): Importing {
  return useSyncExternalStore(listeners.add, () => imports.get(campaignId) ?? nothing)
}

/** Whether one is under way, or something is left to be read about it. */
export const isThere = ({ phase, trouble }: Importing) => phase !== 'ready' || trouble !== null

/** Whether signing out would stop one. */
export const isImporting = () => [...imports.values()].some(({ phase }) => phase === 'trying' || phase === 'running')

export const hasImport = (campaignId: number) => isThere(imports.get(campaignId) ?? nothing)

/** Resolves when it is over, however it ended, or when the reader is asked. */
export async function startImport(campaignId: number, csv: CsvFile, isDraft: boolean): Promise<void> {
  if (csv.file.size > largestBytes) {
    put(campaignId, { ...nothing, trouble: 'tooBig' })
    return
  }
  if (!isDraft) return goOnImporting(campaignId, csv)
  await running(campaignId, 'trying', async (run) => {
    const foreseen = await tryFile(csv, run)
    if (foreseen === null) await goOnImporting(campaignId, csv)
    else put(campaignId, { phase: 'asking', report: null, asked: { csv, foreseen } })
  })
}

export function goOnImporting(campaignId: number, csv: CsvFile): Promise<void> {
  return running(campaignId, 'running', async (run) => {
    await importFile(csv, run)
    put(campaignId, { phase: 'done' })
  })
}

async function running(campaignId: number, phase: Phase, work: (run: Run) => Promise<void>): Promise<void> {
  const stopper = new AbortController()
  const { signal } = stopper
  stoppers.set(campaignId, stopper)
  put(campaignId, { ...nothing, phase })
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
    await work({ campaignId, signal, onProgress, onFailed })
  } catch (error) {
    // Signing out meanwhile left nothing behind.
    if (!imports.has(campaignId)) return
    // Of a campaign that was deleted nothing is told.
    put(campaignId, error instanceof CallFailed ? nothing : endOf(campaignId, phase, signal))
  } finally {
    mayClose()
  }
}

function endOf(campaignId: number, phase: Phase, { aborted }: AbortSignal): Partial<Importing> {
  if (phase === 'trying') return { ...nothing, trouble: aborted ? null : 'unreadable' }
  if (aborted) return { phase: 'stopped' }
  // What was imported before it broke has a report all the same.
  return { phase: imports.get(campaignId)?.report ? 'stopped' : 'ready', trouble: 'unreadable' }
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
