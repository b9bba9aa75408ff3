import { Anchor, Badge, Code, Drawer, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useWords } from '../../../language.ts'
import { Copy } from '../../../parts/copy.tsx'
import { Facts } from '../../../parts/facts.tsx'
import { TimeText } from '../../../parts/time-text.tsx'
import { useMoments } from './moments.ts'
import type { Entry } from './use-history.ts'
import type { Choices } from './wanted.ts'
import { words } from './words.ts'

export function campaignName({ campaigns }: Choices, campaignId: number): string {
  return campaigns.find(({ id }) => id === campaignId)?.name ?? String(campaignId)
}

export function colourOf(status: number): string {
  if (status < 400) return 'teal'
  return status < 500 ? 'orange' : 'red'
}

type Props = { of: Entry | null; choices: Choices; onClose(): void }

/** Everything that is kept of one request. */
export function EntryDrawer({ of, choices, onClose }: Props) {
  const text = useWords(words)
  return (
    <Drawer opened={of !== null} onClose={onClose} title={text.entry}>
      {of !== null && <EntryFacts of={of} choices={choices} />}
    </Drawer>
  )
}

function EntryFacts({ of, choices }: { of: Entry; choices: Choices }) {
  const text = useWords(words)
  const moments = useMoments()
  const key = choices.keys.find(({ id }) => id === of.keyId)
  const facts: [string, ReactNode][] = [
    [text.entryTime, <TimeText key="time" at={Math.floor(of.atMs / 1_000)} withSeconds />],
    [
      text.status,
      <Badge key="status" color={colourOf(of.status)} variant="outline">
        {of.status}
      </Badge>,
    ],
    ...(of.errorCode === null ? [] : [[text.code, <Code key="code">{of.errorCode}</Code>] as [string, ReactNode]]),
    [text.operation, of.operation === null ? text.noOperation : text.operations[of.operation]],
    [text.campaign, of.campaignId === null ? '–' : <Campaign key="campaign" of={of.campaignId} choices={choices} />],
    [text.key, key === undefined ? `lastcall_${of.keyHint}…` : `${key.name} (lastcall_${key.hint}…)`],
    [text.milliseconds, `${moments.number(of.milliseconds)} ms`],
  ]
  return (
    <Stack>
      <Facts of={facts} />
      <Stack gap={4} align="start">
        <Text size="sm" c="dimmed">
          {text.requestId}
        </Text>
        <Code style={{ overflowWrap: 'anywhere' }}>{of.requestId}</Code>
        <Copy text={of.requestId} name={text.requestId} />
      </Stack>
      {of.errorCode !== null && (
        <Anchor component={Link} href="/integrations/reference" size="sm">
          {text.toReference}
        </Anchor>
      )}
    </Stack>
  )
}

function Campaign({ of, choices }: { of: number; choices: Choices }) {
  return (
    <Anchor component={Link} href={`/campaigns/${of}`} size="sm" underline="always">
      {campaignName(choices, of)}
    </Anchor>
  )
}
