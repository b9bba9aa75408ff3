import { Anchor, Badge, Button, Code, Group, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useAsk } from '../../../api.ts'
import { useLanguage, useWords } from '../../../language.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Waiting } from '../../../parts/loaded.tsx'
import { rowMark } from '../../../parts/next-row.ts'
import { RoleNote } from '../../../parts/role-note.tsx'
import { RowMenu } from '../../../parts/row-menu.tsx'
import { Rows } from '../../../parts/rows.tsx'
import { TimeText } from '../../../parts/time-text.tsx'
import { useMay, useSession } from '../../../session.ts'
import { dayMs } from '../history/wanted.ts'
import { type Action, type Key, KeyDialog } from './dialogs.tsx'
import { words } from './words.ts'

export default function KeysPart() {
  const text = useWords(words)
  const { account } = useSession()
  const mayChange = useMay('owner')
  const asked = useAsk('GET /keys', {})
  const [action, act] = useState<Action>()
  if (asked.isLoadingError) return <Failure of={asked} />
  if (asked.isPending) return <Waiting />
  const { keys, revoked } = asked.data
  const newKey = mayChange && (
    <Button onClick={() => act({ what: 'create' })} disabled={account.suspended}>
      {text.newKey}
    </Button>
  )
  return (
    <Stack gap="lg">
      <Failure of={asked} />
      <RoleNote needed="owner">{text.onlyOwners}</RoleNote>
      {keys.length === 0 ? (
        <Empty text={mayChange ? `${text.empty} ${text.makeOne}` : text.empty}>{newKey}</Empty>
      ) : (
        <>
          <Group justify="space-between" align="end" gap="md">
            <Text c="dimmed" size="sm" maw={640}>
              {text.intro}
            </Text>
            {newKey}
          </Group>
          <WorkingKeys keys={keys} act={act} />
        </>
      )}
      <RevokedKeys keys={revoked} />
      <KeyDialog action={action} onClose={() => act(undefined)} />
    </Stack>
  )
}

type Act = { act(action: Action): void }

function WorkingKeys({ keys, act }: Act & { keys: Key[] }) {
  const text = useWords(words)
  return (
    <Paper withBorder>
      <Rows
        label={text.list}
        columns={[text.name, text.keyHint, text.created, text.lastUsed, text.requests]}
        actions={text.actions}
      >
        {keys.map((key) => (
          <WorkingKey key={key.id} of={key} act={act} />
        ))}
      </Rows>
    </Paper>
  )
}

function WorkingKey({ of, act }: Act & { of: Key }) {
  const text = useWords(words)
  const mayChange = useMay('owner')
  const { account } = useSession()
  const actions = [
    { name: text.rename, onClick: () => act({ what: 'rename', of }) },
    ...(of.revokedAt === null ? [{ name: text.replace, onClick: () => act({ what: 'replace', of }) }] : []),
    { name: text.revoke, isDangerous: true, onClick: () => act({ what: 'revoke', of }) },
  ]
  return (
    <tr {...rowMark('keys', of.id)}>
      <td className="breaks">
        <Stack gap={4} align="start">
          <Text size="sm" fw={600}>
            {of.name}
          </Text>
          {of.scopes.length > 0 && (
            <Text size="sm" c="dimmed">
              {text.alsoFor} {of.scopes.map((scope) => text.scope[scope]).join(', ')}
            </Text>
          )}
          <Grace of={of} />
        </Stack>
      </td>
      <td data-label={text.keyHint}>
        <Code>{`lastcall_${of.hint}…`}</Code>
      </td>
      <td data-label={text.created}>
        <TimeText at={of.createdAt} />
      </td>
      <td data-label={text.lastUsed}>
        {of.lastUsedAt === null ? (
          <Text size="sm" c="dimmed">
            {text.never}
          </Text>
        ) : (
          <TimeText at={of.lastUsedAt} />
        )}
      </td>
      <td data-label={text.requests}>
        <Requests of={of} />
      </td>
      <td>
        <RowMenu label={text.actionsOn(of.name)} disabled={account.suspended} actions={mayChange ? actions : []} />
      </td>
    </tr>
  )
}

/** Of the last day, with the way to them. */
function Requests({ of }: { of: Key }) {
  const text = useWords(words)
  const language = useLanguage()
  const { data, isError } = useAsk('GET /history/keys', {}, { staleMs: 10_000 })
  if (data === undefined) return isError ? '–' : '…'
  const requests = data.keys.find(({ keyId }) => keyId === of.id)?.requests ?? 0
  const from = new Date(Date.now() - dayMs).toISOString()
  const count = `${new Intl.NumberFormat(language).format(requests)}${data.isAll ? '' : '+'}`
  return (
    <Anchor
      component={Link}
      href={`/integrations/history?key=${of.id}&from=${from}`}
      size="sm"
      underline="always"
      aria-label={text.requestsOf(of.name, count)}
    >
      {count}
    </Anchor>
  )
}

/** A replaced key: until when it works beside the new one. */
function Grace({ of }: { of: Key }) {
  const text = useWords(words)
  if (of.revokedAt === null) return null
  return (
    <Badge color="orange" variant="outline" tt="none" h="auto" styles={{ label: { whiteSpace: 'normal' } }} fw={600}>
      {text.worksUntil} <TimeText at={of.revokedAt} />
    </Badge>
  )
}

function RevokedKeys({ keys }: { keys: Key[] }) {
  const text = useWords(words)
  const [isShown, setShown] = useState(false)
  if (keys.length === 0) return null
  return (
    <Stack gap="sm" align="start">
      <Button variant="default" size="compact-sm" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        {isShown ? text.hideRevoked : text.showRevoked(keys.length)}
      </Button>
      {isShown && (
        <Paper withBorder w="100%">
          <Rows
            label={text.revokedList}
            columns={[text.name, text.keyHint, text.created, text.lastUsed, text.revokedAt]}
          >
            {keys.map((key) => (
              <RevokedKey key={key.id} of={key} />
            ))}
          </Rows>
        </Paper>
      )}
    </Stack>
  )
}

function RevokedKey({ of }: { of: Key }) {
  const text = useWords(words)
  return (
    <tr>
      <td className="breaks">{of.name}</td>
      <td data-label={text.keyHint}>
        <Code>{`lastcall_${of.hint}…`}</Code>
      </td>
      <td data-label={text.created}>
        <TimeText at={of.createdAt} />
      </td>
      <td data-label={text.lastUsed}>{of.lastUsedAt === null ? text.never : <TimeText at={of.lastUsedAt} />}</td>
      <td data-label={text.revokedAt}>
        <TimeText at={of.revokedAt as number} />
      </td>
    </tr>
  )
}
