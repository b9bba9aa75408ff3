import { Alert, Anchor, Button, Stack, Text, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { Link, Redirect, useLocation, useSearchParams } from 'wouter'
import { useSendAlone } from '../../api.ts'
import { useWords } from '../../language.ts'
import { endWithSession } from '../../leaving.ts'
import { CodeInput } from '../../parts/code-input.tsx'
import { useEmailFault } from '../../parts/email-fault.ts'
import { Failure } from '../../parts/failure.tsx'
import { Waiting } from '../../parts/loaded.tsx'
import { Password } from '../../parts/password.tsx'
import { useAnySession } from '../../session.ts'
import { giveUpSigningInAgain } from '../../signing-in.ts'
import { Door } from './door.tsx'
import { ByProvider } from './provider.tsx'
import { Refused } from './reset.tsx'
import { words } from './words.ts'

export function SignInScreen() {
  const text = useWords(words)
  const session = useAnySession()
  const [search] = useSearchParams()
  const [, go] = useLocation()
  const [email, setEmail] = useState('')
  const client = useQueryClient()
  // Only a place within the panel: an address of elsewhere would be an open redirect. Browsers drop tabs and line ends.
  const to = new URLSearchParams(window.location.search).get('to') ?? '/'
  const within = /^\/(?![/\\])\S*$/.test(to) ? to : '/'
  const stillIn = session.data?.signedIn ? session.data.user : undefined
  const ways = stillIn ? undefined : session.data?.ways
  const [, refused] = Object.entries(text.refused).find(([code]) => code === search.get('refused')) ?? []
  const enter = () => {
    giveUpSigningInAgain()
    // What was answered after the last session's end, as a fresh key, is not for who comes in now.
    endWithSession()
    client.clear()
    go(within, { replace: true })
  }
  // By the way back. A refusal is shown all the same: it may be about an invitation that they followed.
  if (stillIn && refused === undefined) return <Redirect to={within} replace />
  const isEmpty = session.data?.isEmpty === true
  return (
    <Door title={text.signIn}>
      {isEmpty && (
        <Alert color="blue" variant="outline">
          {text.noUser}
        </Alert>
      )}
      {refused !== undefined && <Refused text={refused} />}
      {stillIn && (
        <>
          <Text size="sm">{text.stillIn(stillIn.email)}</Text>
          <Button component={Link} href={within}>
            {text.toPanel}
          </Button>
        </>
      )}
      {session.isError && <Failure of={session} />}
      {session.isPending && <Waiting height={240} />}
      {ways?.byPassword && <SignInForm {...{ email, setEmail }} hasMail={ways.hasMail} onDone={enter} />}
      {ways?.byProvider && <ByProvider to={within} isBelow={ways.byPassword} />}
      {ways?.byPassword &&
        (ways.hasMail ? (
          <Anchor size="sm" renderRoot={(props) => <Link {...props} href="/reset" state={{ email }} />}>
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

/** Password, and a code where the user has a second factor; also over a screen whose session has ended. */
export function SignInForm(props: FormProps) {
  const [codeToken, setCodeToken] = useState<string>()
  if (codeToken !== undefined) {
    return <CodeStep codeToken={codeToken} onDone={props.onDone} onBack={() => setCodeToken(undefined)} />
  }
  return <PasswordStep {...props} onCode={setCodeToken} />
}

type FormProps = {
  email: string
  /** Only where somebody may sign in with another email. */
  setEmail?(email: string): void
  hasMail: boolean
  onDone(): void
}

function PasswordStep({ email, setEmail, hasMail, onDone, onCode }: FormProps & { onCode(token: string): void }) {
  const text = useWords(words)
  const send = useSendAlone('POST /session')
  const emailFault = useEmailFault(send.error)
  const [password, setPassword] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const isWrong = send.error?.code === 'WRONG_PASSWORD'
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const { codeToken } = await send.mutateAsync({ body: { email, password } })
    if (codeToken === null) onDone()
    else onCode(codeToken)
  }
  return (
    <form onSubmit={(event) => submit(event).catch(() => field.current?.focus())}>
      <Stack>
        <TextInput
          label={text.email}
          type="email"
          autoComplete="username"
          required
          value={email}
          readOnly={setEmail === undefined}
          error={emailFault}
          onChange={(event) => setEmail?.(event.currentTarget.value)}
        />
        <Password
          ref={field}
          label={text.password}
          autoComplete="current-password"
          required
          data-autofocus={setEmail === undefined || undefined}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {isWrong && hasMail ? <Refused text={text.wrongByMail} /> : <Failure of={{ error: send.error }} />}
        <Button type="submit" loading={send.isPending}>
          {text.signIn}
        </Button>
      </Stack>
    </form>
  )
}

function CodeStep({ codeToken, onDone, onBack }: { codeToken: string; onDone(): void; onBack(): void }) {
  const text = useWords(words)
  const send = useSendAlone('POST /session/code')
  const [code, setCode] = useState('')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    await send.mutateAsync({ body: { codeToken, code } })
    onDone()
  }
  return (
    <form
      onSubmit={(event) => {
        const form = event.currentTarget
        submit(event).catch(() => form.querySelector('input')?.focus())
      }}
    >
      <Stack>
        <CodeInput label={text.code} description={text.codeHint} value={code} onChange={setCode} failed={send.error} />
        <Failure of={{ error: send.error }} />
        <Button type="submit" loading={send.isPending}>
          {text.signIn}
        </Button>
        <Button variant="subtle" onClick={onBack}>
          {text.startAgain}
        </Button>
        <Text size="sm" c="dimmed">
          {text.codeLost}
        </Text>
      </Stack>
    </form>
  )
}
