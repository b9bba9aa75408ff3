import { Group, Modal, NativeSelect, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useSend } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { DialogForm } from '../../../parts/dialog-form.tsx'
import { focusNextRow } from '../../../parts/next-row.ts'
import { toast, useToastFailure } from '../../../parts/toast.tsx'
import { useMay } from '../../../session.ts'
import { freshKey } from '../keys/fresh-key.tsx'
import { SettingsForm } from './form.tsx'
import { isPaused, optionsOf, type Webhook, type Webhooks } from './webhook.tsx'
import { words } from './words.ts'

/** What is being done, in a dialog. */
export type Action = { what: 'create' } | { what: 'edit' | 'resume' | 'rotate' | 'backfill' | 'remove'; of: Webhook }

/** What can be done with one webhook, as a menu has it, and whether it is being done. */
export function useActions(of: Webhook, act: (action: Action) => void) {
  const text = useWords(words)
  const pause = useSend('POST /webhooks/:endpointId/pause')
  const may = useMay('owner')
  const onError = useToastFailure()
  const onSuccess = () => toast(text.paused(of.name))
  const stop = () => pause.mutate({ params: { endpointId: of.id } }, { onSuccess, onError })
  if (!may) return { actions: [] }
  const actions = [
    { name: text.edit, onClick: () => act({ what: 'edit', of }) },
    isPaused(of)
      ? { name: text.resume, onClick: () => act({ what: 'resume', of }) }
      : { name: text.pause, onClick: stop },
    { name: text.rotate, onClick: () => act({ what: 'rotate', of }) },
    { name: text.backfill, onClick: () => act({ what: 'backfill', of }) },
    { name: text.remove, isDangerous: true, onClick: () => act({ what: 'remove', of }) },
  ]
  return { actions, loading: pause.isPending }
}

type DialogProps = { all: Webhooks; action: Action | null; onClose(): void }

export function Dialogs({ all, action, onClose }: DialogProps) {
  const text = useWords(words)
  const title = action === null ? '' : action.what === 'create' ? text.create : text[`${action.what}Of`](action.of.name)
  return (
    <Modal opened={action !== null} onClose={onClose} size="lg" centered title={title}>
      {action !== null && <Content key={action.what} all={all} action={action} onClose={onClose} />}
    </Modal>
  )
}

const forms = { edit: SettingsForm, resume: Resume, rotate: Rotate, backfill: Backfill, remove: Remove }

function Content({ all, action, onClose }: DialogProps & { action: Action }) {
  if (action.what === 'create') return <SettingsForm all={all} onClose={onClose} />
  const Form = forms[action.what]
  return <Form all={all} of={action.of} onClose={onClose} />
}

type OneProps = { of: Webhook; onClose(): void }

function Resume({ of, onClose }: OneProps) {
  const text = useWords(words)
  const send = useSend('POST /webhooks/:endpointId/resume')
  const [from, setFrom] = useState<'stop' | 'now'>('stop')
  const submit = async () => {
    await send.mutateAsync({ params: { endpointId: of.id }, body: { from } })
    onClose()
    toast(text.resumed(of.name))
  }
  return (
    <DialogForm send={send} submit={submit} done={text.resume} onClose={onClose}>
      <Radio.Group
        label={of.state === 'failing' ? text.resumeFailing : text.resumeText}
        value={from}
        onChange={(next) => setFrom(next as 'stop' | 'now')}
      >
        <Stack mt="xs" gap="xs">
          <Radio value="stop" label={text.fromStop} data-autofocus />
          <Radio value="now" label={text.fromNow} />
        </Stack>
      </Radio.Group>
    </DialogForm>
  )
}

function Rotate({ of, onClose }: OneProps) {
  const text = useWords(words)
  const send = useSend('POST /webhooks/:endpointId/secret')
  const [grace, setGrace] = useState('24')
  const submit = async () => {
    const made = await send.mutateAsync({ params: { endpointId: of.id }, body: { graceHours: Number(grace) } })
    onClose()
    freshKey.set({ id: String(made.id), name: made.name, key: made.secret, isSecret: true })
  }
  return (
    <DialogForm send={send} submit={submit} done={text.rotateDone} onClose={onClose}>
      <Text size="sm">{text.rotateText}</Text>
      <Radio.Group label={text.grace} value={grace} onChange={setGrace}>
        <Group mt="xs">
          {Object.entries(text.graces).map(([hours, label]) => (
            <Radio key={hours} value={hours} label={label} data-autofocus={hours === grace || undefined} />
          ))}
        </Group>
      </Radio.Group>
    </DialogForm>
  )
}

function Backfill({ all, of, onClose }: OneProps & { all: Webhooks }) {
  const text = useWords(words)
  const send = useSend('POST /webhooks/:endpointId/backfill/:campaignId')
  // Of a draft nothing is told.
  const campaigns = all.campaigns.filter(({ id, isDraft }) => !isDraft && of.campaignIds?.includes(id) !== false)
  // Those that a webhook is set to are all there.
  const isShort = all.hasOlder && of.campaignIds === null
  const [campaignId, setCampaignId] = useState(String(campaigns.at(-1)?.id ?? ''))
  const submit = async () => {
    await send.mutateAsync({ params: { endpointId: of.id, campaignId: Number(campaignId) } })
    onClose()
    toast(isPaused(of) ? text.backfilledLater : text.backfilled)
  }
  return (
    <DialogForm send={send} submit={submit} done={text.backfillDone} isDisabled={campaignId === ''} onClose={onClose}>
      <Text size="sm">{text.backfillText}</Text>
      {campaigns.length === 0 ? (
        <Text size="sm">{isShort ? `${text.noBackfill} ${text.newestOnly}` : text.noBackfill}</Text>
      ) : (
        <NativeSelect
          label={text.campaign}
          {...(isShort && { description: text.newestOnly })}
          data-autofocus
          data={optionsOf(campaigns)}
          value={campaignId}
          onChange={(event) => setCampaignId(event.currentTarget.value)}
        />
      )}
    </DialogForm>
  )
}

function Remove({ of, onClose }: OneProps) {
  const text = useWords(words)
  const send = useSend('DELETE /webhooks/:endpointId')
  const submit = async () => {
    const focusNext = focusNextRow('webhooks', of.id)
    await send.mutateAsync({ params: { endpointId: of.id } })
    onClose()
    toast(text.removed(of.name))
    focusNext()
  }
  return (
    <DialogForm send={send} submit={submit} done={text.removeDone} isDestructive onClose={onClose}>
      <Text size="sm">{text.removeText}</Text>
    </DialogForm>
  )
}
