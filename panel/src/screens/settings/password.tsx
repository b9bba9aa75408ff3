import { Button, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useSend } from '../../api.ts'
import { useWords } from '../../language.ts'
import { Failure } from '../../parts/failure.tsx'
import { focusOnFault } from '../../parts/next-row.ts'
import { NewPassword, Password } from '../../parts/password.tsx'
import { useSession } from '../../session.ts'
import { words } from './words.ts'

export function ChangePassword() {
  const text = useWords(words)
  const { user } = useSession()
  const send = useSend('POST /password')
  const [current, setCurrent] = useState('')
  const [next, setNext] = useState('')
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    await send.mutateAsync({ body: { current, next } })
    setCurrent('')
    setNext('')
  }
  const isWrong = send.error?.code === 'WRONG_PASSWORD'
  return (
    <form onSubmit={(event) => submit(event).catch(() => focusOnFault())}>
      <Stack align="start" maw={420}>
        <input type="hidden" autoComplete="username" value={user.email} readOnly />
        <Password
          label={text.current}
          required
          w="100%"
          autoComplete="current-password"
          value={current}
          error={isWrong ? text.wrong : undefined}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <NewPassword
          label={text.next}
          description={text.passwordHint}
          w="100%"
          value={next}
          onChange={(event) => setNext(event.currentTarget.value)}
        />
        {!isWrong && <Failure of={{ error: send.error }} />}
        <Button type="submit" loading={send.isPending}>
          {text.change}
        </Button>
        <Text size="sm" role="status">
          {send.isSuccess ? text.changed : ''}
        </Text>
      </Stack>
    </form>
  )
}
