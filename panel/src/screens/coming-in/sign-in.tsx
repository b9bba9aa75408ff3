import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { useAsk, useSendAlone } from '../../api.ts'
import { useWords } from '../../language.ts'
import { Failure } from '../../parts/failure.tsx'
import { Waiting } from '../../parts/loaded.tsx'
import { Password } from '../../parts/password.tsx'
import { giveUpSigningInAgain } from '../../signing-in.ts'
import { Door } from './door.tsx'
import { ByProvider } from './provider.tsx'
import { Refused } from './reset.tsx'
import { words } from './words.ts'

export function SignInScreen() {
  const text = useWords(words)
  const session = useAsk('GET /session', {})
  const [search] = useSearchParams()
  const [, go] = useLocation()
  const client = useQueryClient()
  // Only a place within the panel: an address of elsewhere would be an open redirect.
  const to = search.get('to') ?? '/'
  const within = /^\/(?![/\\])/.test(to) ? to : '/'
  const ways = session.data?.ways
  const [, refused] = Object.entries(text.refused).find(([code]) => code === search.get('refused')) ?? []
  const enter = () => {
    giveUpSigningInAgain()
    client.clear()
    go(within, { replace: true })
  }
  const isEmpty = session.data !== undefined && !session.data.signedIn && session.data.isEmpty
  return (
    <Door title={text.signIn}>
      {isEmpty && (
        <Alert color="blue" variant="outline">
          {text.noUser}
        </Alert>
      )}
      {refused !== undefined && <Refused text={refused} />}
      {session.isError && <Failure of={session} />}
      {session.isPending && <Waiting height={240} />}
      {ways?.byPassword && <SignInForm onDone={enter} />}
      {ways?.byProvider && <ByProvider to={within} isBelow={ways.byPassword} />}
      {ways?.byPassword &&
        (ways.hasMail ? (
          <Anchor component={Link} href="/reset" size="sm">
            {text.forgot}
          </Anchor>
        ) : (
          <Text size="sm" c="dimmed">
            {text.forgotten}
          </Text>
        ))}
    </Door>
  )
}

/** Email and password; also over a screen whose session has ended, for the same user. */
export function SignInForm({ email: known, onDone }: { email?: string; onDone(): void }) {
  const text = useWords(words)
  const send = useSendAlone('POST /session')
  const [email, setEmail] = useState(known ?? '')
  const [password, setPassword] = useState('')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    await send.mutateAsync({ body: { email, password } })
    onDone()
  }
  return (
    <form onSubmit={(event) => submit(event).catch(() => {})}>
      <Stack>
        <TextInput
          label={text.email}
          type="email"
          autoComplete="username"
          required
          value={email}
          readOnly={known !== undefined}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        <Password
          label={text.password}
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Failure of={{ error: send.error }} />
        <Button type="submit" loading={send.isPending}>
          {text.signIn}
        </Button>
      </Stack>
    </form>
  )
}
