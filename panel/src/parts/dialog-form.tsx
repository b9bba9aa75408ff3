import { Button, Group, Stack } from '@mantine/core'
import type { FormEvent, ReactNode } from 'react'
import type { CallFailed } from '../api.ts'
import { useWords } from '../language.ts'
import { Failure } from './failure.tsx'
import { focusOnFault } from './next-row.ts'
import { words } from './words.ts'

/** How it stands with what a dialog asks for. */
export type Sending = { error: CallFailed | null; isPending: boolean }

type Props = {
  onClose(): void
  send: Sending
  submit(): Promise<void>
  done: string
  isDestructive?: boolean
  isDisabled?: boolean
  children: ReactNode
}

/** What a dialog asks, with its two buttons. */
export function DialogForm({
  send,
  submit,
  done,
  isDestructive = false,
  isDisabled = false,
  onClose,
  children,
}: Props) {
  const { cancel } = useWords(words)
  const submitted = (event: FormEvent) => {
    const form = event.currentTarget
    event.preventDefault()
    // React hands it on to the form in which this dialog is written, though it does not stand there.
    event.stopPropagation()
    // What failed stands in `send.error`.
    submit().catch(() => focusOnFault(form))
  }
  return (
    <form onSubmit={submitted}>
      <Stack>
        {children}
        <Failure of={{ error: send.error }} />
        <Group justify="end" gap="sm">
          {/* The focus goes to the first of these in the dialog: a field above, or else this button. */}
          <Button variant="default" data-autofocus onClick={onClose}>
            {cancel}
          </Button>
          <Button type="submit" {...(isDestructive && { color: 'red' })} disabled={isDisabled} loading={send.isPending}>
            {done}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
