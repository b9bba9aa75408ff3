import { useMemo } from 'react'
import { type EditedPart, keepUnsaved, useUnsaved } from './unsaved.ts'
import { type Settings, useSaveCampaign, type Whole } from './use-campaign.ts'

/** How a part is written down while it is being changed, and how that would be saved. */
export type Form<Draft> = {
  part: EditedPart
  draftOf(settings: Settings): Draft
  settingsOf(draft: Draft): Partial<Settings>
}

/** The draft of a part over what is saved, kept until it is saved or given up. */
export function useEdited<Draft>(read: Whole, { part, draftOf, settingsOf }: Form<Draft>) {
  const campaignId = read.settings.id
  const unsaved = useUnsaved<Draft>(campaignId, part)
  const draft = useMemo(() => unsaved?.draft ?? draftOf(read.settings), [unsaved, read.settings, draftOf])
  const base = unsaved?.base ?? read
  const asSaved = (settings: Settings) => JSON.stringify(settingsOf(draftOf(settings)))
  // Other screens change other settings: only who changed this very part would be overwritten.
  const isBehind = asSaved(base.settings) !== asSaved(read.settings)
  const saving = useSaveCampaign(isBehind ? base : read)

  function change(next: Draft): void {
    const isAsSaved = !isBehind && JSON.stringify(settingsOf(next)) === asSaved(read.settings)
    keepUnsaved(campaignId, part, isAsSaved ? undefined : { draft: next, base })
    if (saving.error !== null) saving.reset()
  }

  /** @throws CallFailed, which stands in `error` too */
  async function save(): Promise<void> {
    await saving.save(settingsOf(draft))
    keepUnsaved(campaignId, part, undefined)
  }

  function discard(): void {
    keepUnsaved(campaignId, part, undefined)
    saving.reset()
  }

  const { error, isPending } = saving
  return { draft, change, save, discard, error, isPending, isBehind, isChanged: unsaved !== undefined }
}
