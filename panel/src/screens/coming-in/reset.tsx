import { Alert, Button, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { useAsk, useSendAlone } from '../../api.ts'
import { useLanguage, useWords } from '../../language.ts'
import { useEmailFault } from '../../parts/email-fault.ts'
import { Failure } from '../../parts/failure.tsx'
import { Waiting } from '../../parts/loaded.tsx'
import { NewPassword } from '../../parts/password.tsx'
import { words as usualWords } from '../../parts/words.ts'
import { Door } from './door.tsx'
import { useTokenOfAddress } from './link-token.ts'
import { words } from './words.ts'

/** Without a token the link is asked for; with one, the new password. */
export function ResetScreen() {
  const text = useWords(words)
  const token = useTokenOfAddress()
  return (
    <Door title={text.reset}>
      {token === '' ? <AskForLink /> : <ByLink token={token} />}
      <Button component={Link} href="/sign-in" variant="default">
        {text.toSignIn}
      </Button>
    </Door>
  )
}

function AskForLink() {
  const text = useWords(words)
  const language = useLanguage()
  const send = useSendAlone('POST /password-resets')
  const emailFault = useEmailFault(send.error)
  const session = useAsk('GET /session', {})
  const { failures } = useWords(usualWords)
  // As it was typed at sign-in: it is no part of the address.
  const [email, setEmail] = useState(() => String(window.history.state?.email ?? ''))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send.mutate({ body: { email, language } })
  }
  if (session.isPending) return <Waiting height={160} />
  if (session.data?.ways.byPassword === false) return <Refused text={failures.PASSWORDS_OFF} />
  if (session.data?.ways.hasMail === false) return <Text size="sm">{text.forgotten}</Text>
  if (send.isSuccess) return <Done text={text.resetSent} />
  const isTooOften = send.error?.code === 'TOO_MANY_TRIES'
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{text.resetText}</Text>
        <TextInput
          label={text.email}
          type="email"
          required
          autoComplete="username"
          value={email}
          error={emailFault}
          onChange={(event) => setEmail(event.currentTarget.value)}
        />
        {isTooOften ? <Refused text={text.resetTooOften} /> : <Failure of={{ error: send.error }} />}
        <Button type="submit" loading={send.isPending}>
          {text.resetSend}
        </Button>
      </Stack>
    </form>
  )
}

function ByLink({ token }: { token: string }) {
  const text = useWords(words)
  const link = useAsk('POST /password-reset', { body: { token } }, { staleMs: 'static' })
  const send = useSendAlone('PUT /password-reset')
  const [password, setPassword] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send.mutate({ body: { token, password } })
  }
  if (link.isPending) return <Waiting height={160} />
  if (link.isError) return <Failure of={link} />
  if (send.isSuccess) return <Done text={text.resetDone} />
  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">{text.resetNewText(link.data.email)}</Text>
        <input type="hidden" autoComplete="username" value={link.data.email} readOnly />
        <NewPassword
          label={text.newPassword}
          description={text.passwordHint}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Failure of={{ error: send.error }} />
        <Button type="submit" loading={send.isPending}>
          {text.resetSet}
        </Button>
      </Stack>
    </form>
  )
}

function Done({ text }: { text: string }) {
  const shown = useRef<HTMLDivElement>(null)
  // It takes the place of a form, which had the focus.
  useEffect(() => shown.current?.focus(), [])
  return (
    <Alert ref={shown} color="green" variant="outline" role="status" tabIndex={-1}>
      {text}
    </Alert>
  )
}

/** Why somebody was not let in, or what they have to wait for. */
export function Refused({ text }: { text: string }) {
  return (
    <Alert color="red" variant="outline" role="alert">
      {text}
    </Alert>
  )
}
