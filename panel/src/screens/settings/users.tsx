import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type AnswerOf, useAsk, useSend } from '../../api.ts'
import { useWords } from '../../language.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { CopyBlock } from '../../parts/copy.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Waiting } from '../../parts/loaded.tsx'
import { focusNextRow, rowMark } from '../../parts/next-row.ts'
import { TimeText } from '../../parts/time-text.tsx'
import { toast } from '../../parts/toast.tsx'
import { useSession } from '../../session.ts'
import { Section } from './section.tsx'
import { words } from './words.ts'

type User = AnswerOf<'GET /users'>['users'][number]

export default function UsersPart() {
  const text = useWords(words)
  const users = useAsk('GET /users', {})
  if (users.isPending) return <Waiting />
  return (
    <Section title={text.users}>
      <Users users={users} />
    </Section>
  )
}

function Users({ users }: { users: ReturnType<typeof useAsk<'GET /users'>> }) {
  const text = useWords(words)
  const [removing, setRemoving] = useState<User>()
  const remove = useSend('DELETE /users/:userId')
  const close = () => {
    setRemoving(undefined)
    remove.reset()
  }
  const confirm = (userId: number) => {
    const focusNext = focusNextRow('users', userId)
    const onSuccess = () => {
      toast(text.removed(removing?.email ?? ''))
      close()
      focusNext()
    }
    remove.mutate({ params: { userId } }, { onSuccess })
  }
  return (
    <Stack>
      <Failure of={users} />
      <Stack component="ul" p={0} m={0} gap="xs" style={{ listStyle: 'none' }}>
        {users.data?.users.map((user) => (
          <UserRow
            key={user.id}
            user={user}
            isOnly={users.data.users.length === 1}
            onRemove={() => setRemoving(user)}
          />
        ))}
      </Stack>
      <Invite />
      <Confirm
        opened={removing !== undefined}
        onClose={close}
        title={text.removeTitle(removing?.email ?? '')}
        text={text.removeText}
        action={text.remove}
        isDangerous
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => confirm(removing?.id ?? 0)}
      />
    </Stack>
  )
}

function UserRow({ user, isOnly, onRemove }: { user: User; isOnly: boolean; onRemove(): void }) {
  const text = useWords(words)
  const isMe = useSession().user.id === user.id
  return (
    <Group component="li" justify="space-between" {...rowMark('users', user.id)}>
      <Stack gap={0} miw={0}>
        <Text style={{ overflowWrap: 'anywhere' }}>
          {user.email} {isMe && `(${text.you})`}
        </Text>
        <Text size="sm" c="dimmed">
          {text.since} <TimeText at={user.createdAt} />
        </Text>
      </Stack>
      {isOnly || isMe ? null : (
        <Button variant="subtle" color="red" size="xs" onClick={onRemove} aria-label={`${text.remove} ${user.email}`}>
          {text.remove}
        </Button>
      )}
    </Group>
  )
}

function Invite() {
  const text = useWords(words)
  const send = useSend('POST /invitations')
  return (
    <Stack align="start">
      <Button variant="default" loading={send.isPending} onClick={() => send.mutate({})}>
        {text.invite}
      </Button>
      <Failure of={{ error: send.error }} />
      {send.data !== undefined && (
        <Stack w="100%" gap="xs">
          <Text size="sm">{text.inviteText}</Text>
          <CopyBlock name={text.inviteName} text={send.data.url} />
        </Stack>
      )}
    </Stack>
  )
}
