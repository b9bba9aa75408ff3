import { Modal } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { type AnswerOf, CallFailed, call, useSend } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { stayed } from '../../../leaving.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { download, fileName, jsonFile } from '../../../parts/download.ts'
import { Failure } from '../../../parts/failure.tsx'
import { focusNextRow } from '../../../parts/next-row.ts'
import { RowMenu, RowMenuButton } from '../../../parts/row-menu.tsx'
import { toast, useToastFailure } from '../../../parts/toast.tsx'
import { useMay, useSession } from '../../../session.ts'
import { draftOf } from './draft-of.ts'
import { words } from './words.ts'

export type Summary = AnswerOf<'GET /campaigns'>['campaigns'][number]

/** What can be done with a campaign without opening it. */
export function CampaignMenu({ campaign }: { campaign: Summary }) {
  const text = useWords(words)
  return (
    <RowMenuButton label={text.actions(campaign.name)}>
      <OpenMenu campaign={campaign} />
    </RowMenuButton>
  )
}

function OpenMenu({ campaign }: { campaign: Summary }) {
  const text = useWords(words)
  const { name, isArchived } = campaign
  const running = useRunning()
  const { exportFile, duplicate } = useCopies(campaign)
  const archiving = useArchiving(campaign, running.start)
  const removing = useRemoving(campaign)
  const may = useMay('member')
  const { suspended: disabled } = useSession().account
  const duplicating = { name: text.duplicate, disabled, onClick: () => running.start(text.duplicate, duplicate) }
  const exporting = { name: text.export, onClick: () => running.start(text.export, exportFile) }
  const changing = [
    isArchived
      ? { name: text.restore, disabled, onClick: archiving.restore }
      : { name: text.archive, disabled, onClick: archiving.begin },
    { name: text.remove, isDangerous: true, disabled, onClick: removing.begin },
  ]
  return (
    <>
      <RowMenu
        isOpen
        label={text.actions(name)}
        loading={running.isPending}
        actions={may ? [duplicating, exporting, ...changing] : [exporting]}
      />
      <Modal opened={running.failed !== undefined} onClose={running.forget} title={running.failed?.title} centered>
        {running.failed !== undefined && <Failure of={running.failed} />}
      </Modal>
      <Confirm {...archiving.dialog} title={text.archiveTitle(name)} text={text.archiveText} action={text.archive} />
      <Confirm
        {...removing.dialog}
        title={text.removeTitle(name)}
        text={text.removeText}
        typed={{ asked: text.removeConfirm(name), wanted: name }}
        action={text.remove}
      />
    </>
  )
}

function useCopies({ id, name }: Summary) {
  const text = useWords(words)
  const [, go] = useLocation()
  const make = useSend('POST /campaigns')
  const read = async () => (await call('GET /campaigns/:campaignId', { params: { campaignId: id } })).settings
  return {
    exportFile: async () => download(jsonFile(await read()), fileName(name, '.json')),
    async duplicate() {
      const isHere = stayed()
      // Of whole characters: half an emoji is refused.
      const copyName = [...text.copyOf(name)].slice(0, 200).join('')
      const made = await make.mutateAsync({ body: { settings: { ...draftOf(await read()), name: copyName } } })
      if (isHere()) go(`/campaigns/${made.settings.id}/rules`)
    },
  }
}

/** Somebody has deleted it meanwhile: its row goes, and with it the dialog that would say so. */
function useSayGone() {
  const sayFailure = useToastFailure()
  return (focusNext: () => void) => (error: CallFailed) => {
    if (error.code !== 'NOT_FOUND') return
    sayFailure(error)
    focusNext()
  }
}

function useArchiving({ id, name, state }: Summary, start: ReturnType<typeof useRunning>['start']) {
  const text = useWords(words)
  const send = useSend('PUT /campaigns/:campaignId/archive')
  const client = useQueryClient()
  // Read again only then: published meanwhile, the campaign may have no row under the list's filter, nor this dialog.
  const onClose = () => void client.invalidateQueries()
  const [opened, { open, close }] = useDisclosure(false, { onClose })
  const sayGone = useSayGone()
  const putAway = async (next: boolean, sawDraft = false) => {
    const focusNext = focusNextRow('campaigns', id)
    const asked = { params: { campaignId: id }, body: { isArchived: next, sawDraft } }
    const { settings } = await send.mutateAsync(asked, { onError: sayGone(focusNext) })
    close()
    const back = settings.isDraft ? text.restored : text.publishedMeanwhile
    toast(next ? text.archivedNow(name) : back(name))
    focusNext()
  }
  const ask = () => {
    send.reset()
    open()
  }
  /** Published meanwhile, it is asked about after all. */
  const archiveDraft = () =>
    putAway(true, true).catch((error: CallFailed) => {
      if (error.code !== 'CHANGED_MEANWHILE') throw error
      ask()
    })
  return {
    /** A draft loses nothing by it: only what is live is asked about. */
    begin() {
      if (state !== 'draft') return ask()
      send.reset()
      start(text.archive, archiveDraft)
    },
    restore: () => start(text.restore, () => putAway(false)),
    dialog: { opened, onClose: close, isDangerous: true, send, onConfirm: () => putAway(true).catch(() => {}) },
  }
}

function useRemoving({ id, name }: Summary) {
  const text = useWords(words)
  const send = useSend('DELETE /campaigns/:campaignId')
  const [opened, { open, close }] = useDisclosure(false)
  const sayGone = useSayGone()
  const onConfirm = () => {
    const focusNext = focusNextRow('campaigns', id)
    const onSuccess = () => {
      close()
      toast(text.removed(name))
      focusNext()
    }
    send.mutate({ params: { campaignId: id } }, { onSuccess, onError: sayGone(focusNext) })
  }
  return {
    begin() {
      send.reset()
      open()
    },
    dialog: { opened, onClose: close, isDangerous: true, send, onConfirm },
  }
}

type Failed = { title: string; error: CallFailed; refetch(): void }

/** Something begun in the menu, which is closed by then: where it fails, that is said in a dialog of its own. */
function useRunning() {
  const [isPending, setPending] = useState(false)
  const [failed, setFailed] = useState<Failed>()
  async function start(title: string, run: () => Promise<void>): Promise<void> {
    setFailed(undefined)
    setPending(true)
    try {
      await run()
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error
      setFailed({ title, error, refetch: () => start(title, run) })
    } finally {
      setPending(false)
    }
  }
  return { isPending, failed, start, forget: () => setFailed(undefined) }
}
