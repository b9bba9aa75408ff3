import { Button, Group, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type AnswerOf, useAsk, useSend } from '../../api.ts'
import { useLanguage, useWords } from '../../language.ts'
import { CopyBlock } from '../../parts/copy.tsx'
import { useEmailFault } from '../../parts/email-fault.ts'
import { Failure } from '../../parts/failure.tsx'
import { focusNextRow, focusOnFault, rowMark } from '../../parts/next-row.ts'
import { TimeText } from '../../parts/time-text.tsx'
import { toast } from '../../parts/toast.tsx'
import { type Role, useSession } from '../../session.ts'
import { roleWords } from './role-words.ts'
import { useRoleOptions } from './roles.ts'
import { words } from './words.ts'

type Invitation = AnswerOf<'GET /invitations'>['invitations'][number]
type Made = AnswerOf<'POST /invitations'>

/** For owners: makes links that let people in, and withdraws those that nobody has used. */
export function Invitations() {
  const text = useWords(roleWords)
  const { data, ...asked } = useAsk('GET /invitations', {})
  // Kept apart from what makes it: the next invitation may be refused, and this link is shown nowhere else.
  const [made, setMade] = useState<Made | null>(null)
  const withdraw = useSend('DELETE /invitations/:invitationId')
  const withdrawOne = ({ id }: Invitation) => {
    const focusNext = focusNextRow('invitations', id)
    const onSuccess = () => {
      toast(text.withdrawn)
      // The link that is still shown lets nobody in now.
      if (made?.id === id) setMade(null)
      focusNext()
    }
    withdraw.mutate({ params: { invitationId: id } }, { onSuccess })
  }
  return (
    <Stack>
      <Invite made={made} onMade={setMade} />
      <Failure of={asked} />
      <Failure of={{ error: withdraw.error }} />
      {data !== undefined && data.invitations.length > 0 && (
        <Stack gap="xs">
          <Title order={3} size="h5">
            {text.open}
          </Title>
          <Stack component="ul" p={0} m={0} style={{ listStyle: 'none' }} aria-label={text.open}>
            {data.invitations.map((one) => (
              <Row key={one.id} of={one} isWithdrawing={withdraw.isPending} onWithdraw={() => withdrawOne(one)} />
            ))}
          </Stack>
        </Stack>
      )}
    </Stack>
  )
}

type RowProps = { of: Invitation; isWithdrawing: boolean; onWithdraw(): void }

function Row({ of, isWithdrawing, onWithdraw }: RowProps) {
  const text = useWords(roleWords)
  const name = of.email ?? text.passedOn
  const { suspended } = useSession().account
  const role = text.roles[of.role]
  return (
    <Group component="li" justify="space-between" gap={4} {...rowMark('invitations', of.id)}>
      <Stack gap={0} miw={0}>
        <Text style={{ overflowWrap: 'anywhere' }}>
          {name} · {role}
        </Text>
        <Text size="sm" c="dimmed" component="div" style={{ overflowWrap: 'anywhere' }}>
          {text.invited} <TimeText at={of.createdAt} /> {text.invitedBy(of.invitedBy)}, {text.until}{' '}
          <TimeText at={of.endsAt} />
        </Text>
      </Stack>
      <Button
        variant="subtle"
        color="red"
        size="xs"
        disabled={suspended || isWithdrawing}
        onClick={onWithdraw}
        aria-label={text.withdrawOf(name, role)}
      >
        {text.withdraw}
      </Button>
    </Group>
  )
}

function Invite({ made, onMade }: { made: Made | null; onMade(made: Made): void }) {
  const text = useWords(words)
  const { role: roleText, inviteEmail, inviteEmailHint } = useWords(roleWords)
  const send = useSend('POST /invitations')
  const options = useRoleOptions()
  const [role, setRole] = useState<Role>('member')
  const [email, setEmail] = useState('')
  const language = useLanguage()
  const { ways, account } = useSession()
  const hints = [ways.hasMail && text.inviteByMail, ways.byProvider && text.inviteByProvider].filter((one) => one)
  const isTaken = send.error?.code === 'EMAIL_TAKEN'
  const emailFault = useEmailFault(send.error)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const to = email.trim()
    const onSuccess = (one: Made) => {
      setEmail('')
      onMade(one)
    }
    const body = { role, language, ...(to !== '' && { email: to }) }
    send.mutate({ body }, { onSuccess, onError: () => focusOnFault() })
  }
  return (
    <form onSubmit={submit}>
      <Stack align="start">
        <Group align="start" w="100%" gap="sm">
          <NativeSelect
            label={roleText}
            data={options}
            value={role}
            onChange={(event) => setRole(event.currentTarget.value as Role)}
          />
          <TextInput
            label={inviteEmail}
            description={hints.length > 0 ? hints.join(' ') : inviteEmailHint}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            type="email"
            autoComplete="off"
            maxLength={254}
            flex={1}
            miw="min(100%, 13.75rem)"
            maw={420}
            value={email}
            error={isTaken ? text.inviteTaken : emailFault}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        </Group>
        <Button type="submit" variant="default" disabled={account.suspended} loading={send.isPending}>
          {text.invite}
        </Button>
        <Failure of={{ error: isTaken ? null : send.error }} />
        <Stack w="100%" gap="xs">
          <Stack gap="xs" role="status">
            {/* A text of its own for each link, so that a screen reader says it again. */}
            {made !== null && (
              <Text key={made.id} size="sm">
                {text.inviteMail[made.mail]} {text.inviteText}
              </Text>
            )}
          </Stack>
          {made !== null && <CopyBlock name={text.inviteName} text={made.url} />}
        </Stack>
      </Stack>
    </form>
  )
}
