// Changes of a part of a campaign that are not saved yet. They outlive the screen, and a reload of the page. Each user
// has their own: after a session's end somebody else may sign in at the same tab.
import { useSyncExternalStore } from 'react'
import { askedAs } from '../../api.ts'
import { someListeners } from '../../parts/listeners.ts'
import type { Whole } from './use-campaign.ts'

export type EditedPart = 'rules' | 'pages' | 'timer'
const editedParts: readonly EditedPart[] = ['rules', 'pages', 'timer']

/** `base` is the campaign as it was when somebody began to change it. */
type Unsaved<Draft> = { draft: Draft; base: Whole }

const drafts = new Map<string, Unsaved<unknown> | undefined>()
const listeners = someListeners()

const prefix = 'lastcall.unsaved.'
/** The number is raised when drafts take another form or get a field: older ones are then left alone. */
const keyOf = (campaignId: number, part: EditedPart) => `${prefix}3.${askedAs()}.${campaignId}.${part}`

export function keepUnsaved<Draft>(campaignId: number, part: EditedPart, unsaved: Unsaved<Draft> | undefined): void {
  const key = keyOf(campaignId, part)
  drafts.set(key, unsaved)
  if (unsaved === undefined) sessionStorage.removeItem(key)
  else sessionStorage.setItem(key, JSON.stringify(unsaved))
  listeners.tell()
}

/** Signing out leaves nothing behind. */
export function forgetUnsaved(): void {
  drafts.clear()
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key)
  listeners.tell()
}

export function useUnsaved<Draft>(campaignId: number, part: EditedPart): Unsaved<Draft> | undefined {
  return useSyncExternalStore(listeners.add, () => unsavedOf<Draft>(campaignId, part))
}

/** Whether any part of the campaign has changes that are not saved. */
export function useIsUnsaved(campaignId: number): boolean {
  return useSyncExternalStore(listeners.add, () =>
    editedParts.some((part) => unsavedOf(campaignId, part) !== undefined),
  )
}

/** What somebody leaves behind unsaved who goes from this part to that address, in this campaign or elsewhere. */
export function unsavedLeft(campaignId: number, part: string, to: string): Unsaved<unknown>[] {
  const [, campaigns, id, next = 'results'] = to.split('/')
  const staysHere = campaigns === 'campaigns' && id === String(campaignId)
  const left = editedParts.filter((one) => (staysHere ? one === part && part !== next : true))
  return left.map((one) => unsavedOf(campaignId, one)).filter((unsaved) => unsaved !== undefined)
}

/** A part keeps drafts of one form only. */
export function unsavedOf<Draft>(campaignId: number, part: EditedPart): Unsaved<Draft> | undefined {
  const key = keyOf(campaignId, part)
  if (!drafts.has(key)) {
    const text = sessionStorage.getItem(key)
    drafts.set(key, text === null ? undefined : (JSON.parse(text) as Unsaved<unknown>))
  }
  return drafts.get(key) as Unsaved<Draft> | undefined
}
