import { Button, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { AnswerOf } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { stayed } from '../../../leaving.ts'
import { Failure } from '../../../parts/failure.tsx'
import { focusOnFault } from '../../../parts/next-row.ts'
import { useLeadChange } from './use-leads.ts'
import { words } from './words.ts'

export type Added = AnswerOf<'POST /campaigns/:campaignId/leads'>

type Props = {
  campaignId: number
  opened: boolean
  onClose(): void
  onAdded(added: Added): void
}

export function AddLead({ campaignId, opened, onClose, onAdded }: Props) {
  const text = useWords(words)
  const send = useLeadChange('POST /campaigns/:campaignId/leads', campaignId)
  const [email, setEmail] = useState('')
  const isWrong = send.error?.code === 'INVALID'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isHere = stayed()
    const onSuccess = (added: Added) => {
      setEmail('')
      if (isHere()) onAdded(added)
    }
    // Not by its promise: two clicks in one instant would go to the lead twice.
    const after = { onSuccess, onError: () => focusOnFault() }
    send.mutate({ params: { campaignId }, body: { email: email.trim() } }, after)
  }
  const close = () => {
    // What is under way is still gone to.
    if (!send.isPending) send.reset()
    onClose()
  }
  return (
    <Modal opened={opened} onClose={close} title={text.addTitle} centered>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text size="sm">{text.addText}</Text>
          <TextInput
            label={text.email}
            type="email"
            inputMode="email"
            autoComplete="off"
            required
            data-autofocus
            value={email}
            error={isWrong ? text.emailWrong : undefined}
            onChange={(event) => {
              setEmail(event.currentTarget.value)
              if (isWrong) send.reset()
            }}
          />
          {!isWrong && <Failure of={{ error: send.error }} />}
          <Button type="submit" loading={send.isPending}>
            {text.register}
          </Button>
        </Stack>
      </form>
    </Modal>
  )
}
