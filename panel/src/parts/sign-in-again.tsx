import { Anchor, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { call } from '../api.ts'
import { useWords } from '../language.ts'
import { SignInForm } from '../screens/coming-in/sign-in.tsx'
import { useSession } from '../session.ts'
import { isSignInAsked, onSignInAsked, signedInAgain } from '../signing-in.ts'
import { stays } from './escape.ts'
import { words } from './words.ts'

/** Stands over a screen whose session has ended; nothing that was entered is lost. */
export function SignInAgain() {
  const text = useWords(words)
  const { user, ways } = useSession()
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
      {...stays(isAsked)}
      // Above every other dialog: one of them may be what waits.
      zIndex={1_000}
      title={text.sessionEnded}
      centered
    >
      <Stack>
        <Text size="sm">{text.sessionEndedText}</Text>
        {ways.byPassword && <SignInForm email={user.email} onDone={goOn} />}
        {ways.byProvider && <InAnotherTab userId={user.id} onDone={goOn} />}
      </Stack>
    </Modal>
  )
}

/** Going to the provider would lose the screen: the reader signs in beside it, and comes back. */
function InAnotherTab({ userId, onDone }: { userId: number; onDone(): void }) {
  const text = useWords(words)
  const done = useEffectEvent(onDone)
  useEffect(() => {
    const look = async () => {
      const session = await call('GET /session', {})
      if (session.signedIn && session.user.id === userId) done()
    }
    const onFocus = () => void look().catch(() => {})
    window.addEventListener('focus', onFocus)
    return () => window.removeEventListener('focus', onFocus)
  }, [userId])
  return (
    <Anchor href={new URL('sign-in', document.baseURI).href} target="_blank">
      {text.signInBeside}
    </Anchor>
  )
}
