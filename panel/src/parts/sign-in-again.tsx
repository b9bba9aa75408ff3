import { Modal, Stack, Text } from '@mantine/core'
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
  const isAsked = useSyncExternalStore(onSignInAsked, isSignInAsked)
  return (
    <Modal
      opened={isAsked}
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      title={text.sessionEnded}
      centered
    >
      <Stack>
        <Text size="sm">{text.sessionEndedText}</Text>
        <SignInForm email={user.email} onDone={signedInAgain} />
      </Stack>
    </Modal>
  )
}
