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
  useOtherTab(isAsked, user.id, goOn)
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
        {ways.byPassword && <SignInForm email={user.email} hasMail={ways.hasMail} onDone={goOn} />}
        {ways.byProvider && <InAnotherTab />}
      </Stack>
    </Modal>
  )
}

/** The reader may sign in in another tab: that one's session is this one's too. */
function useOtherTab(isAsked: boolean, userId: number, onDone: () => void): void {
  const done = useEffectEvent(onDone)
  useEffect(() => {
    if (!isAsked) return undefined
    const look = async () => {
      const session = await call('GET /session', {})
      if (session.signedIn && session.user.id === userId) done()
    }
    const onFocus = () => void look().catch(() => {})
    window.addEventListener('focus', onFocus)
    return () => window.removeEventListener('focus', onFocus)
  }, [isAsked, userId])
}

/** Going to the provider would lose the screen: the reader signs in beside it, and comes back. */
function InAnotherTab() {
  const text = useWords(words)
  return (
    <Anchor href={new URL('sign-in', document.baseURI).href} target="_blank">
      {text.signInBeside}
    </Anchor>
  )
}
