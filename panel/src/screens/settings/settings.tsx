import { Button, Paper, Stack, Text, Title } from '@mantine/core'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useAsk, useSend } from '../../api.ts'
import { useWords } from '../../language.ts'
import { CopyBlock } from '../../parts/copy.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Waiting } from '../../parts/loaded.tsx'
import { NameInput } from '../../parts/name-input.tsx'
import { Password } from '../../parts/password.tsx'
import { RoleNote } from '../../parts/role-note.tsx'
import { Screen } from '../../parts/screen.tsx'
import { useMay, useSession } from '../../session.ts'
import { roleWords } from './role-words.ts'
import { Users } from './users.tsx'
import { words } from './words.ts'

export default function SettingsScreen() {
  const text = useWords(words)
  const users = useAsk('GET /users', {})
  const isOwner = useMay('owner')
  if (users.isPending) {
    return (
      <Screen title={text.title}>
        <Waiting />
      </Screen>
    )
  }
  return (
    <Screen title={text.title}>
      <Section title={text.account}>
        {isOwner ? <AccountName /> : <NameOnly />}
        <PublicAddress />
      </Section>
      <Section title={text.users}>
        <Users />
      </Section>
      <Section title={text.password}>
        <ChangePassword />
      </Section>
    </Screen>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Title order={2} size="h3">
          {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  )
}

function NameOnly() {
  const { onlyOwnersAccount } = useWords(roleWords)
  return (
    <div>
      <Text style={{ overflowWrap: 'anywhere' }}>{useSession().account.name}</Text>
      <RoleNote needed="owner">{onlyOwnersAccount}</RoleNote>
    </div>
  )
}

function AccountName() {
  const text = useWords(words)
  const { account } = useSession()
  const [name, setName] = useState(account.name)
  const send = useSend('PATCH /account')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send.mutate({ body: { name: name.trim() } }, { onSuccess: () => setName(name.trim()) })
  }
  return (
    <form onSubmit={submit}>
      <Stack align="start">
        <NameInput label={text.name} w="100%" maw={420} value={name} failed={send.error} onChange={setName} />
        <Failure of={{ error: send.error }} />
        <Button type="submit" loading={send.isPending} disabled={name === account.name}>
          {text.save}
        </Button>
        <Text size="sm" role="status">
          {send.isSuccess && name === account.name ? text.saved : ''}
        </Text>
      </Stack>
    </form>
  )
}

function PublicAddress() {
  const text = useWords(words)
  const { publicUrl } = useSession()
  return (
    <Stack gap="xs">
      <Text fw={600} size="sm">
        {text.address}
      </Text>
      <Text size="sm" c="dimmed">
        {text.addressText}
      </Text>
      <CopyBlock name={text.address} text={publicUrl} />
    </Stack>
  )
}

function ChangePassword() {
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
    <form onSubmit={(event) => submit(event).catch(() => {})}>
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
        <Password
          label={text.next}
          description={text.passwordHint}
          required
          w="100%"
          minLength={8}
          maxLength={256}
          autoComplete="new-password"
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
