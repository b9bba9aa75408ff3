import { Modal, Text, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { DialogForm, type Sending } from './dialog-form.tsx'

type ConfirmProps = {
  opened: boolean
  onClose(): void
  title: string
  text: ReactNode
  /** What the button says that does it. */
  action: string
  isDangerous?: boolean
  /** Where it cannot be undone: what has to be typed first, and what asks for it. */
  typed?: { asked: string; wanted: string }
  /** Where something is sent before the dialog closes. */
  send?: Sending
  onConfirm(): void
}

/** Asks before something with consequences is done, and says which. */
export function Confirm(props: ConfirmProps) {
  const { opened, onClose, title } = props
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered>
      <Question {...props} />
    </Modal>
  )
}

/** As it is read on the page, which shows several spaces as one, and a letter alike however it is composed. */
const asRead = (name: string) => name.normalize().replaceAll(/\s+/g, ' ').trim()

const nothingSent = { error: null, isPending: false }

function Question({ onClose, text, action, isDangerous = false, typed, send = nothingSent, onConfirm }: ConfirmProps) {
  const [given, setGiven] = useState('')
  const mayGo = typed === undefined || asRead(given) === asRead(typed.wanted)
  return (
    <DialogForm
      send={send}
      submit={async () => onConfirm()}
      done={action}
      isDestructive={isDangerous}
      isDisabled={!mayGo}
      onClose={onClose}
    >
      {typeof text === 'string' ? <Text size="sm">{text}</Text> : text}
      {typed !== undefined && (
        <TextInput
          label={typed.asked}
          value={given}
          autoComplete="off"
          data-autofocus
          onChange={(event) => setGiven(event.currentTarget.value)}
        />
      )}
    </DialogForm>
  )
}
