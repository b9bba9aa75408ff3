import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useAsk, useSendAlone } from '../../api.ts'
import { useWords } from '../../language.ts'
import { endWithSession } from '../../leaving.ts'
import { useEmailFault } from '../../parts/email-fault.ts'
import { Failure } from '../../parts/failure.tsx'
import { Waiting } from '../../parts/loaded.tsx'
import { NameInput } from '../../parts/name-input.tsx'
import { focusOnFault } from '../../parts/next-row.ts'
import { NewPassword } from '../../parts/password.tsx'
import { Door } from './door.tsx'
import { useTokenOfAddress } from './link-token.ts'
import { ByProvider } from './provider.tsx'
import { words } from './words.ts'

/** The first account and user of an installation. */
export function SetupScreen() {
  const text = useWords(words)
  return (
    <Door title={text.setup}>
      <ByLink isFirst />
    </Door>
  )
}

/** Another user of an account. */
export function JoinScreen() {
  const text = useWords(words)
  return (
    <Door title={text.join}>
      <ByLink isFirst={false} />
    </Door>
  )
}

function ByLink({ isFirst }: { isFirst: boolean }) {
  const text = useWords(words)
  const token = useTokenOfAddress()
  const invitation = useAsk('POST /invitation', { body: { token: token || '-' } }, { staleMs: 'static' })
  if (invitation.isPending) return <Waiting height={240} />
  if (invitation.isError) {
    return (
      <>
        <Failure of={invitation} />
        <ToSignIn />
      </>
    )
  }
  return (
    <>
      <Text size="sm">{isFirst ? text.setupText : text.joinText(invitation.data.accountName ?? '')}</Text>
      <JoinForm token={token} isFirst={isFirst} />
    </>
  )
}

function ToSignIn() {
  const text = useWords(words)
  return (
    <Button component={Link} href="/sign-in" variant="default">
      {text.toSignIn}
    </Button>
  )
}

function JoinForm({ token, isFirst }: { token: string; isFirst: boolean }) {
  const text = useWords(words)
  const [, go] = useLocation()
  const client = useQueryClient()
  const send = useSendAlone('POST /users')
  const emailFault = useEmailFault(send.error)
  const ways = useAsk('GET /session', {}).data?.ways
  const form = useRef<HTMLFormElement>(null)
  const [given, setGiven] = useState({ accountName: '', email: '', password: '' })
  const put = (name: keyof typeof given) => (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget
    setGiven((before) => ({ ...before, [name]: value }))
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const { accountName, ...rest } = given
    await send.mutateAsync({ body: { token, ...rest, ...(isFirst && { accountName }) } })
    // What somebody else was shown in this tab, as a fresh key, is not for who joins.
    endWithSession()
    client.clear()
    go('/', { replace: true })
  }
  const { accountName } = given
  if (ways === undefined) return <Waiting height={240} />
  return (
    <form ref={form} onSubmit={(event) => submit(event).catch(() => focusOnFault())}>
      <Stack>
        {isFirst && (
          <NameInput
            label={text.accountName}
            description={text.accountHint}
            autoComplete="organization"
            value={given.accountName}
            failed={send.error}
            path="accountName"
            // On the way to the provider, what the service refuses is not marked.
            pattern=".*\S.*"
            onChange={(accountName) => setGiven((before) => ({ ...before, accountName }))}
          />
        )}
        {ways.byPassword && (
          <>
            <TextInput
              label={text.email}
              type="email"
              required
              autoComplete="username"
              value={given.email}
              error={emailFault}
              onChange={put('email')}
            />
            <NewPassword
              label={text.password}
              description={text.passwordHint}
              value={given.password}
              onChange={put('password')}
            />
            <Failure of={{ error: send.error }} />
            {/* The answer to a first try may have been lost on the way. */}
            {send.error?.code === 'LINK_USED_UP' && <ToSignIn />}
            <Button type="submit" loading={send.isPending}>
              {isFirst ? text.setupDone : text.joinDone}
            </Button>
          </>
        )}
        {ways.byProvider && (
          <ByProvider
            to="/"
            isBelow={ways.byPassword}
            invitation={{ token, ...(isFirst && { accountName }) }}
            isReady={() => !isFirst || form.current?.querySelector('input')?.reportValidity() === true}
          />
        )}
      </Stack>
    </form>
  )
}
