// Changes of a campaign's rules that are not saved yet. They outlive the screen, and a reload of the page.
import { useSyncExternalStore } from 'react'
import type { Whole } from '../use-campaign.ts'
import type { Draft } from './draft.ts'

/** `base` is the campaign as it was when somebody began to change it. */
export type Unsaved = { draft: Draft; base: Whole }

const kept = new Map<number, Unsaved | undefined>()
const listeners = new Set<() => void>()

/** Raised when drafts take another form: older ones are then left alone. */
const keyOf = (campaignId: number) => `lastcall.unsaved.1.${campaignId}`

export function keepUnsaved(campaignId: number, unsaved: Unsaved | undefined): void {
  kept.set(campaignId, unsaved)
  if (unsaved === undefined) sessionStorage.removeItem(keyOf(campaignId))
  else sessionStorage.setItem(keyOf(campaignId), JSON.stringify(unsaved))
  for (const listener of listeners) listener()
}

export function useUnsaved(campaignId: number): Unsaved | undefined {
  return useSyncExternalStore(onChange, () => unsavedOf(campaignId))
}

function unsavedOf(campaignId: number): Unsaved | undefined {
  if (!kept.has(campaignId)) {
    const text = sessionStorage.getItem(keyOf(campaignId))
    kept.set(campaignId, text === null ? undefined : (JSON.parse(text) as Unsaved))
  }
  return kept.get(campaignId)
}

function onChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
