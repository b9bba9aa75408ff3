import { Alert, Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import { useAsk } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Waiting } from '../../../parts/loaded.tsx'
import { focusMade, rowMark } from '../../../parts/next-row.ts'
import { RoleNote } from '../../../parts/role-note.tsx'
import { RowMenu } from '../../../parts/row-menu.tsx'
import { Rows } from '../../../parts/rows.tsx'
import { useMay, useSession } from '../../../session.ts'
import { type Action, Dialogs, useActions } from './dialogs.tsx'
import { OneWebhook } from './one.tsx'
import { StateBadge, Trouble, type Webhook, type Webhooks } from './webhook.tsx'
import { words } from './words.ts'

const seenAgainMs = 5_000

export default function WebhooksPart() {
  const text = useWords(words)
  const asked = useAsk('GET /webhooks', {}, { everyMs: seenAgainMs })
  const [search] = useSearchParams()
  const [action, setAction] = useState<Action | null>(null)
  if (asked.isLoadingError) return <Failure of={asked} />
  if (asked.isPending) return <Waiting />
  const all = asked.data
  const one = all.endpoints.find(({ id }) => String(id) === search.get('webhook'))
  return (
    <Stack gap="lg">
      <Failure of={asked} />
      {!all.isOn && (
        <Alert color="orange" variant="outline">
          {text.off}
        </Alert>
      )}
      <RoleNote needed="owner">{text.onlyOwners}</RoleNote>
      {one === undefined ? (
        <List all={all} act={setAction} />
      ) : (
        <OneWebhook key={one.id} of={one} campaigns={all.campaigns} act={setAction} />
      )}
      <Dialogs all={all} action={action} onClose={() => setAction(null)} />
    </Stack>
  )
}

function List({ all: { endpoints, isOn }, act }: { all: Webhooks; act(action: Action): void }) {
  const text = useWords(words)
  const { account } = useSession()
  const create = useMay('owner') && (
    <Button onClick={() => act({ what: 'create' })} disabled={account.suspended || !isOn}>
      {text.create}
    </Button>
  )
  if (endpoints.length === 0) return <Empty text={text.intro}>{create}</Empty>
  return (
    <>
      <Group justify="space-between" align="end" gap="md">
        <Text c="dimmed" size="sm" maw={640}>
          {text.intro}
        </Text>
        {create}
      </Group>
      <Paper withBorder>
        <Rows label={text.list} columns={[text.name, text.state, text.waiting]} actions={text.actions}>
          {endpoints.map((one) => (
            <Row key={one.id} of={one} act={act} />
          ))}
        </Rows>
      </Paper>
    </>
  )
}

function Row({ of, act }: { of: Webhook; act(action: Action): void }) {
  const text = useWords(words)
  const { account } = useSession()
  return (
    <tr {...rowMark('webhooks', of.id)}>
      <td className="breaks">
        <div>
          <Anchor
            component={Link}
            href={`/integrations/webhooks?webhook=${of.id}`}
            onClick={() => focusMade(String(of.id))}
            size="sm"
            fw={600}
          >
            {of.name}
          </Anchor>
          <Text size="xs" c="dimmed">
            {new URL(of.url).host}
          </Text>
        </div>
      </td>
      <td data-label={text.state}>
        <div>
          <StateBadge of={of} />
          <Trouble of={of} />
        </div>
      </td>
      <td data-label={text.waiting}>
        {text.counted(of.waiting)}
        {of.givenUp > 0 && (
          <Text size="sm" c="dimmed">
            {text.givenUp}: {text.counted(of.givenUp)}
          </Text>
        )}
      </td>
      <td>
        <RowMenu label={text.actionsOn(of.name)} disabled={account.suspended} {...useActions(of, act)} />
      </td>
    </tr>
  )
}
