import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type AnswerOf, useAsk, useSend } from '../../api.ts'
import { useWords } from '../../language.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Waiting } from '../../parts/loaded.tsx'
import { focusNextRow, rowMark } from '../../parts/next-row.ts'
import { RoleNote } from '../../parts/role-note.tsx'
import { Section } from '../../parts/section.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import { toast } from '../../parts/toast.tsx'
import { type Role, useMay, useSession } from '../../session.ts'
import { Invitations } from './invitations.tsx'
import { roleWords } from './role-words.ts'
import { useRoleOptions } from './roles.ts'
import { words } from './words.ts'

type User = AnswerOf<'GET /users'>['users'][number]

export default function UsersPart() {
  const text = useWords(words)
  const users = useAsk('GET /users', {})
  const { rolesText, onlyOwnersUsers } = useWords(roleWords)
  const isOwner = useMay('owner')
  const [removing, setRemoving] = useState<User>()
  const remove = useSend('DELETE /users/:userId')
  if (users.isPending) return <Waiting />
  const owners = users.data?.users.filter(({ role }) => role === 'owner').length
  const ask = (user: User) => {
    remove.reset()
    setRemoving(user)
  }
  // Not reset here: what is under way when the dialog is closed is still told.
  const close = () => setRemoving(undefined)
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
    <Section title={text.users}>
      <Text size="sm" c="dimmed">
        {rolesText}
      </Text>
      <RoleNote needed="owner">{onlyOwnersUsers}</RoleNote>
      <Failure of={users} />
      <Stack component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
        {users.data?.users.map((user) => (
          <UserRow
            key={user.id}
            user={user}
            isLastOwner={user.role === 'owner' && owners === 1}
            onRemove={() => ask(user)}
          />
        ))}
      </Stack>
      {isOwner && <Invitations />}
      <Confirm
        opened={removing !== undefined}
        onClose={close}
        title={text.removeTitle(removing?.email ?? '')}
        text={text.removeText}
        action={text.remove}
        isDangerous
        send={remove}
        onConfirm={() => confirm(removing?.id ?? 0)}
      />
    </Section>
  )
}

type RowProps = { user: User; isLastOwner: boolean; onRemove(): void }

function UserRow({ user, isLastOwner, onRemove }: RowProps) {
  const text = useWords(words)
  const { roles, lastOwner } = useWords(roleWords)
  const isOwner = useMay('owner')
  const { user: me, account } = useSession()
  const isMe = me.id === user.id
  return (
    <Group component="li" justify="space-between" gap={4} {...rowMark('users', user.id)}>
      <Stack gap={0} miw={0}>
        <Text style={{ overflowWrap: 'anywhere' }}>
          {user.email} {isMe && `(${text.you})`}
        </Text>
        <Text size="sm" c="dimmed">
          {text.since} <TimeText at={user.createdAt} />
        </Text>
        {isOwner && isLastOwner && (
          <Text size="sm" c="dimmed">
            {lastOwner}
          </Text>
        )}
      </Stack>
      <Group gap="xs">
        {isOwner && !isLastOwner ? <ChooseRole user={user} isMe={isMe} /> : <Text>{roles[user.role]}</Text>}
        {isOwner && !isMe && !isLastOwner && (
          <Button
            variant="subtle"
            color="red"
            size="xs"
            disabled={account.suspended}
            onClick={onRemove}
            aria-label={`${text.remove} ${user.email}`}
          >
            {text.remove}
          </Button>
        )}
      </Group>
    </Group>
  )
}

/** Asks first: on many systems the arrow keys choose with each press, on the way to another role too. */
function ChooseRole({ user, isMe }: { user: User; isMe: boolean }) {
  const text = useWords(roleWords)
  const options = useRoleOptions()
  const send = useSend('PATCH /users/:userId')
  const { suspended } = useSession().account
  const [asked, setAsked] = useState<Role>()
  const close = () => {
    setAsked(undefined)
    // What is under way is still told.
    if (!send.isPending) send.reset()
  }
  const set = (role: Role) => {
    const onSuccess = () => {
      toast(text.roleSet(user.email, text.roles[role]))
      close()
    }
    send.mutate({ params: { userId: user.id }, body: { role } }, { onSuccess })
  }
  const own = { title: text.ownTitle, text: text.ownText, action: text.ownDo, isDangerous: true }
  const title = text.roleTitle(user.email, text.roles[asked ?? user.role])
  const ends = user.role === 'owner' ? ` ${text.noLongerOwner}` : ''
  const others = { title, text: text.roleText + ends, action: text.roleDo }
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={text.roleOf(user.email)}
        data={options}
        value={user.role}
        disabled={suspended || send.isPending}
        onChange={(event) => {
          send.reset()
          setAsked(event.currentTarget.value as Role)
        }}
      />
      {asked === undefined && <Failure of={{ error: send.error }} />}
      <Confirm
        opened={asked !== undefined}
        onClose={close}
        {...(isMe ? own : others)}
        send={send}
        onConfirm={() => asked !== undefined && set(asked)}
      />
    </>
  )
}
