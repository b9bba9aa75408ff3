import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import type { CallFailed } from '../api.ts'
import { useWords } from '../language.ts'
import { Failure } from './failure.tsx'
import { words } from './words.ts'

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
  isPending: boolean
  error: CallFailed | null
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

function Question({ onClose, text, action, isDangerous, typed, isPending, error, onConfirm }: ConfirmProps) {
  const { cancel } = useWords(words)
  const [given, setGiven] = useState('')
  const mayGo = typed === undefined || asRead(given) === asRead(typed.wanted)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    // React hands it on to the form in which this dialog is written, though it does not stand there.
    event.stopPropagation()
    if (mayGo) onConfirm()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
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
        <Failure of={{ error }} />
        <Group justify="end">
          <Button variant="default" data-autofocus={typed === undefined || undefined} onClick={onClose}>
            {cancel}
          </Button>
          <Button type="submit" color={isDangerous ? 'red' : 'violet'} disabled={!mayGo} loading={isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
