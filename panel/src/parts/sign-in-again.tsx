import { Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { useWords } from '../language.ts'
import { SignInForm } from '../screens/coming-in/sign-in.tsx'
import { useSession } from '../session.ts'
import { isSignInAsked, onSignInAsked, signedInAgain } from '../signing-in.ts'
import { words } from './words.ts'

/** Stands over a screen whose session has ended; nothing that was entered is lost. */
export function SignInAgain() {
  const text = useWords(words)
  const { user } = useSession()
  const client = useQueryClient()
  const isAsked = useSyncExternalStore(onSignInAsked, isSignInAsked)
  const goOn = () => {
    signedInAgain()
    client.invalidateQueries()
  }
  return (
    <Modal
      opened={isAsked}
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      // Above every other dialog: one of them may be what waits.
      zIndex={1_000}
      title={text.sessionEnded}
      centered
    >
      <Stack>
        <Text size="sm">{text.sessionEndedText}</Text>
        <SignInForm email={user.email} onDone={goOn} />
      </Stack>
    </Modal>
  )
}
