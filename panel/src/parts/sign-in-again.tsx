import { Anchor, Button, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'
import { call } from '../api.ts'
import { useWords } from '../language.ts'
import { SignInForm } from '../screens/coming-in/sign-in.tsx'
import { words as comingInWords } from '../screens/coming-in/words.ts'
import { type SignedIn, useSession } from '../session.ts'
import { signedInAgain, useIsSignInAsked } from '../signing-in.ts'
import { stays } from './escape.ts'
import { useLeave } from './shell.tsx'
import { words } from './words.ts'

/** Stands over a screen whose session has ended; nothing that was entered is lost. */
export function SignInAgain() {
  const text = useWords(words)
  const { forgot } = useWords(comingInWords)
  const { user, ways } = useSession()
  const leave = useLeave()
  const client = useQueryClient()
  const isAsked = useIsSignInAsked()
  const goOn = () => {
    signedInAgain()
    client.invalidateQueries()
  }
  const other = useOtherTab(isAsked, user.id, goOn)
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
        {other !== undefined && <Other user={other} />}
        {ways.byPassword && <SignInForm email={user.email} hasMail={ways.hasMail} onDone={goOn} />}
        {ways.byPassword && ways.hasMail && <InAnotherTab path="reset" text={forgot} />}
        {ways.byProvider && <InAnotherTab path="sign-in" text={text.signInBeside} />}
        {/* For who cannot: a user who was removed. */}
        {other === undefined && (
          <Button variant="default" onClick={leave}>
            {text.leave}
          </Button>
        )}
      </Stack>
    </Modal>
  )
}

/**
 * The reader may sign in in another tab: that one's session is this one's too. Returns somebody else who has, and
 * who is in the way of single sign-on there.
 */
function useOtherTab(isAsked: boolean, userId: number, onDone: () => void) {
  const [other, setOther] = useState<SignedIn['user']>()
  const lookNow = async () => {
    const session = await call('GET /session', {})
    if (session.signedIn && session.user.id === userId) onDone()
    else setOther(session.signedIn ? session.user : undefined)
  }
  const onFocus = useEffectEvent(() => void lookNow().catch(() => {}))
  useEffect(() => {
    if (!isAsked) return undefined
    const listener = () => onFocus()
    listener()
    window.addEventListener('focus', listener)
    return () => {
      window.removeEventListener('focus', listener)
      setOther(undefined)
    }
  }, [isAsked])
  return other
}

/** Somebody else is signed in in this browser: the reader goes on as that user, or ends that session in another tab. */
function Other({ user }: { user: SignedIn['user'] }) {
  const text = useWords(words)
  // The sign-in screen leads on to the panel.
  const goOnAsOther = useLeave()
  return (
    <Stack gap="xs">
      <Text size="sm">{text.otherIsIn(user.email)}</Text>
      <Button variant="default" onClick={goOnAsOther}>
        {text.goOnAsOther}
      </Button>
    </Stack>
  )
}

/** Going there, as to the provider, would lose the screen: the reader does that beside it, and comes back. */
function InAnotherTab({ path, text }: { path: string; text: string }) {
  return (
    <Anchor href={new URL(path, document.baseURI).href} target="_blank">
      {text}
    </Anchor>
  )
}
