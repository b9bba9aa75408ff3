import { Button, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type AnswerOf, useSend } from '../../api.ts'
import { useWords } from '../../language.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Failure } from '../../parts/failure.tsx'
import { focusNextRow, rowMark } from '../../parts/next-row.ts'
import { TimeText } from '../../parts/time-text.tsx'
import { toast } from '../../parts/toast.tsx'
import { words } from './security-words.ts'

type Session = AnswerOf<'GET /sessions'>['sessions'][number]

export function Sessions({ sessions }: { sessions: Session[] }) {
  const text = useWords(words)
  const end = useSend('DELETE /sessions/:sessionId')
  const endOne = ({ id, device }: Session) => {
    const focusNext = focusNextRow('sessions', id)
    const onSuccess = () => {
      toast(text.ended(text.device(device)))
      focusNext()
    }
    end.mutate({ params: { sessionId: id } }, { onSuccess })
  }
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        {text.sessionsText}
      </Text>
      <Failure of={{ error: end.error }} />
      <Stack component="ul" p={0} m={0} gap="md" style={{ listStyle: 'none' }} aria-label={text.sessions}>
        {sessions.map((session) => (
          <SessionRow key={session.id} session={session} isEnding={end.isPending} onEnd={() => endOne(session)} />
        ))}
      </Stack>
      {sessions.length > 1 ? (
        <EndOthers />
      ) : (
        <Text size="sm" c="dimmed">
          {text.onlyThis}
        </Text>
      )}
    </Stack>
  )
}

function SessionRow({ session, isEnding, onEnd }: { session: Session; isEnding: boolean; onEnd(): void }) {
  const text = useWords(words)
  const device = text.device(session.device)
  return (
    <Group component="li" justify="space-between" {...rowMark('sessions', session.id)}>
      <Stack gap={0} miw={0}>
        <Text style={{ overflowWrap: 'anywhere' }}>
          {device} {session.isThis && `(${text.isThis})`}
        </Text>
        {session.address !== '' && (
          <Text size="sm" c="dimmed">
            {text.network}: {session.address}
          </Text>
        )}
        <Text size="sm" c="dimmed">
          {text.signedInAt}: <TimeText at={session.createdAt} />
        </Text>
        <Text size="sm" c="dimmed">
          {text.seenAt}: <TimeText at={session.seenAt} />
        </Text>
      </Stack>
      {!session.isThis && (
        <Button
          variant="subtle"
          color="red"
          size="xs"
          disabled={isEnding}
          onClick={onEnd}
          aria-label={text.endOf(device, session.address)}
        >
          {text.end}
        </Button>
      )}
    </Group>
  )
}

function EndOthers() {
  const text = useWords(words)
  const send = useSend('DELETE /sessions')
  const [isAsked, setAsked] = useState(false)
  const ask = () => {
    send.reset()
    setAsked(true)
  }
  // Not reset here: what is under way when the dialog is closed is still told.
  const close = () => setAsked(false)
  const confirm = () => {
    const focusNext = focusNextRow('sessions', '')
    const onSuccess = () => {
      toast(text.othersEnded)
      close()
      focusNext()
    }
    send.mutate({ query: { but: 'this' } }, { onSuccess })
  }
  return (
    <Group>
      <Button variant="default" onClick={ask}>
        {text.endOthers}
      </Button>
      <Confirm
        opened={isAsked}
        onClose={close}
        title={text.endOthersTitle}
        text={text.endOthersText}
        action={text.endOthers}
        send={send}
        onConfirm={confirm}
      />
    </Group>
  )
}
