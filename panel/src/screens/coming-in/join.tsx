import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { type CallFailed, call, useSend } from '../../api.ts'
import { useWords } from '../../language.ts'
import { Failure } from '../../parts/failure.tsx'
import { Password } from '../../parts/password.tsx'
import { Door } from './door.tsx'
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
  // Taken once: behind it the address is cleared, so that the link stays in no history.
  const [token] = useState(() => window.location.hash.slice(1))
  const invitation = useQuery<{ accountName: string | null }, CallFailed>({
    queryKey: ['invitation'],
    queryFn: () => call('POST /invitation', { body: { token: token || '-' } }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (invitation.isPending) return null
  if (invitation.isError) {
    return (
      <>
        <Failure of={{ error: invitation.error }} />
        <Button component={Link} href="/sign-in" variant="default">
          {text.toSignIn}
        </Button>
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

function JoinForm({ token, isFirst }: { token: string; isFirst: boolean }) {
  const text = useWords(words)
  const [, go] = useLocation()
  const client = useQueryClient()
  const send = useSend('POST /users')
  const [given, setGiven] = useState({ accountName: '', email: '', password: '' })
  const put = (name: keyof typeof given) => (event: { currentTarget: { value: string } }) => {
    const { value } = event.currentTarget
    setGiven((before) => ({ ...before, [name]: value }))
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const { accountName, ...rest } = given
    await send.mutateAsync({ body: { token, ...rest, ...(isFirst && { accountName }) } })
    client.clear()
    go('/', { replace: true })
  }
  return (
    <form onSubmit={(event) => submit(event).catch(() => {})}>
      <Stack>
        {isFirst && (
          <TextInput
            label={text.accountName}
            description={text.accountHint}
            required
            maxLength={200}
            autoComplete="organization"
            value={given.accountName}
            onChange={put('accountName')}
          />
        )}
        <TextInput
          label={text.email}
          type="email"
          required
          autoComplete="username"
          value={given.email}
          onChange={put('email')}
        />
        <Password
          label={text.password}
          description={text.passwordHint}
          required
          minLength={8}
          maxLength={256}
          autoComplete="new-password"
          value={given.password}
          onChange={put('password')}
        />
        <Failure of={{ error: send.error }} />
        <Button type="submit" loading={send.isPending}>
          {isFirst ? text.setupDone : text.joinDone}
        </Button>
      </Stack>
    </form>
  )
}
