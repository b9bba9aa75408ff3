import { Anchor, Badge, Button, Code, Group, Paper, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { Link } from 'wouter'
import { type AnswerOf, useAsk, useSend } from '../../../api.ts'
import { useLanguage, useWords } from '../../../language.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Waiting } from '../../../parts/loaded.tsx'
import { NameInput } from '../../../parts/name-input.tsx'
import { focusNextRow, focusOnFault, rowMark } from '../../../parts/next-row.ts'
import { RoleNote } from '../../../parts/role-note.tsx'
import { RowMenu } from '../../../parts/row-menu.tsx'
import { Rows } from '../../../parts/rows.tsx'
import { TimeText } from '../../../parts/time-text.tsx'
import { words as common } from '../../../parts/words.ts'
import { useMay, useSession } from '../../../session.ts'
import { dayMs } from '../history/wanted.ts'
import { type Action, KeyDialog, NewKeyDialog } from './dialogs.tsx'
import { words } from './words.ts'

export type Key = AnswerOf<'GET /keys'>['keys'][number]

export default function KeysPart() {
  const text = useWords(words)
  const { account } = useSession()
  const mayChange = useMay('owner')
  const asked = useAsk('GET /keys', {})
  const [isMaking, setMaking] = useState(false)
  if (asked.isLoadingError) return <Failure of={asked} />
  if (asked.isPending) return <Waiting />
  const { keys, revoked } = asked.data
  const newKey = mayChange && (
    <Button onClick={() => setMaking(true)} disabled={account.suspended}>
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
          <WorkingKeys keys={keys} />
        </>
      )}
      <RevokedKeys keys={revoked} />
      <NewKeyDialog opened={isMaking} onClose={() => setMaking(false)} />
    </Stack>
  )
}

function WorkingKeys({ keys }: { keys: Key[] }) {
  const text = useWords(words)
  const [action, act] = useState<Action>()
  return (
    <>
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
      <KeyDialog action={action} onClose={() => act(undefined)} />
    </>
  )
}

function WorkingKey({ of, act }: { of: Key; act(action: Action): void }) {
  const text = useWords(words)
  const mayChange = useMay('owner')
  const { account } = useSession()
  const [isRenaming, setRenaming] = useState(false)
  const endRenaming = () => {
    setRenaming(false)
    focusNextRow('keys', of.id)()
  }
  const actions = [
    { name: text.rename, onClick: () => setRenaming(true) },
    ...(of.revokedAt === null ? [{ name: text.replace, onClick: () => act({ what: 'replace', of }) }] : []),
    { name: text.revoke, isDangerous: true, onClick: () => act({ what: 'revoke', of }) },
  ]
  return (
    <tr {...rowMark('keys', of.id)}>
      <td className="breaks">
        {isRenaming ? (
          <Rename of={of} onDone={endRenaming} />
        ) : (
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
        )}
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
      <td style={{ justifyContent: 'flex-end', textAlign: 'end' }}>
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

function Rename({ of, onDone }: { of: Key; onDone(): void }) {
  const text = useWords(words)
  const { cancel } = useWords(common)
  const send = useSend('PATCH /keys/:keyId')
  const [name, setName] = useState(of.name)
  const save = async (event: FormEvent) => {
    event.preventDefault()
    if (name !== of.name) await send.mutateAsync({ params: { keyId: of.id }, body: { name: name.trim() } })
    onDone()
  }
  return (
    <form onSubmit={(event) => save(event).catch(() => focusOnFault())} style={{ flex: 1 }}>
      <Stack gap="xs">
        <NameInput
          aria-label={text.newName(of.name)}
          autoFocus
          value={name}
          failed={send.error}
          onChange={setName}
          onKeyDown={(event) => event.key === 'Escape' && onDone()}
        />
        <Failure of={{ error: send.error }} />
        <Group gap="xs">
          <Button type="submit" size="compact-sm" loading={send.isPending}>
            {text.save}
          </Button>
          <Button size="compact-sm" variant="default" onClick={onDone}>
            {cancel}
          </Button>
        </Group>
      </Stack>
    </form>
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
