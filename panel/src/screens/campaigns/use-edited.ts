import { type FormEvent, useMemo, useState } from 'react'
import { closedMs, focusOnFault } from '../../parts/next-row.ts'
import { type Difference, differencesOf } from './differences.ts'
import { type EditedPart, keepUnsaved, unsavedOf, useUnsaved } from './unsaved.ts'
import { type Settings, useSaveCampaign, type Whole } from './use-campaign.ts'

/** How a part is written down while it is being changed, and how that would be saved. */
export type Form<Draft> = {
  part: EditedPart
  draftOf(settings: Settings): Draft
  settingsOf(draft: Draft): Partial<Settings>
  /** What was written while `sent` was being saved, with what the service has given to that. */
  follow?(later: Draft, sent: Draft, saved: Settings): Draft
  /** The draft without what it took from the service and somebody else has deleted: that would be refused. */
  keepOver?(draft: Draft, theirs: Settings): Draft
}

/** That somebody else has saved the same part: what is different, who saved the campaign last, and the two ways on. */
export type Clash = {
  differences: Difference[]
  changed: Whole['changed']
  timeZone: string
  keepMine(): Promise<void>
  takeTheirs(): void
}

/** The draft of a part over what is saved, kept until it is saved or given up. */
export function useEdited<Draft>(read: Whole, { part, draftOf, settingsOf, follow, keepOver }: Form<Draft>) {
  const campaignId = read.settings.id
  const unsaved = useUnsaved<Draft>(campaignId, part)
  const draft = useMemo(() => unsaved?.draft ?? draftOf(read.settings), [unsaved, read.settings, draftOf])
  const base = unsaved?.base ?? read
  const asSaved = (settings: Settings) => JSON.stringify(settingsOf(draftOf(settings)))
  /** Whether the draft is saved already: by a save whose answer was lost on the way. */
  const isThere = (settings: Settings, sent = draft) =>
    JSON.stringify(settingsOf(follow?.(sent, sent, settings) ?? sent)) === asSaved(settings)
  // Other screens change other settings: only who changed this very part would be overwritten.
  const isBehind = asSaved(base.settings) !== asSaved(read.settings) && !isThere(read.settings)
  const saving = useSaveCampaign()
  const { isPending, error } = saving
  const [isSaved, setIsSaved] = useState(false)

  function change(next: Draft): void {
    setIsSaved(false)
    // What is being saved is not there yet.
    const isAsSaved = !isBehind && !isPending && JSON.stringify(settingsOf(next)) === asSaved(read.settings)
    keepUnsaved(campaignId, part, isAsSaved ? undefined : { draft: next, base })
    if (error !== null) saving.reset()
  }

  function submit(event: FormEvent): void {
    event.preventDefault()
    const saved = unsaved === undefined ? Promise.resolve() : saveOver(isBehind ? base : read, draft)
    // Why it failed stands in `error`.
    saved.then(
      () => setIsSaved(true),
      () => focusOnFault(),
    )
  }

  async function saveOver(seen: Whole, sent: Draft): Promise<void> {
    if (isThere(read.settings, sent)) return discard()
    const isApart = (theirs: Settings) => asSaved(theirs) === asSaved(seen.settings)
    const saved = await saving.save(seen, settingsOf(sent), isApart, (theirs) => isThere(theirs, sent))
    const later = unsavedOf<Draft>(campaignId, part)?.draft ?? sent
    const next = later === sent || follow === undefined ? later : follow(later, sent, saved.settings)
    // What was written meanwhile is still to be saved.
    const isSaved = later === sent || JSON.stringify(settingsOf(next)) === asSaved(saved.settings)
    keepUnsaved(campaignId, part, isSaved ? undefined : { draft: next, base: saved })
  }

  function discard(): void {
    keepUnsaved(campaignId, part, undefined)
    saving.reset()
    focusSave()
  }

  /** Over what somebody else has saved, once it was seen. */
  async function keepMine(): Promise<void> {
    const mine = keepOver?.(draft, read.settings) ?? draft
    keepUnsaved(campaignId, part, { draft: mine, base })
    await saveOver(read, mine).catch(() => {})
    focusSave()
  }

  const settingsIn = (of: Settings) => settingsOf(draftOf(of))
  const clash: Clash | null = isBehind
    ? {
        differences: differencesOf(settingsIn(base.settings), settingsIn(read.settings), settingsOf(draft)),
        changed: read.changed,
        timeZone: read.settings.timeZone,
        keepMine,
        takeTheirs: discard,
      }
    : null
  const isChanged = unsaved !== undefined
  return { draft, change, submit, discard, error, isPending, isBehind, clash, isChanged, isSaved }
}

/** The button that was pressed has gone with what it was about. */
function focusSave(): void {
  setTimeout(() => {
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('form [type=submit]')?.focus()
  }, closedMs)
}
