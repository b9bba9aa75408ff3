import { Anchor, Badge, Box, Button, Code, Group, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { Link } from 'wouter'
import { useWords } from '../../../language.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Waiting } from '../../../parts/loaded.tsx'
import { More } from '../../../parts/more.tsx'
import { Rows } from '../../../parts/rows.tsx'
import { useMay } from '../../../session.ts'
import { campaignName, colourOf, EntryDrawer } from './entry-drawer.tsx'
import { useMoments } from './moments.ts'
import { type Entry, useEntries, useNews } from './use-history.ts'
import { type Choices, isNarrowed, type Wanted } from './wanted.ts'
import { words } from './words.ts'

/** The list, newest first: what comes is announced, what is older is appended. */
export function Entries({ wanted, choices }: { wanted: Wanted; choices: Choices }) {
  const text = useWords(words)
  const query = useEntries(wanted)
  const pages = query.data?.pages ?? []
  const entries = pages.flatMap((page) => page.entries)
  const news = useNews(wanted, pages[0]?.head)
  const { hasNextPage, isFetching, isError } = query
  return (
    <Stack gap="sm">
      {/* As high as the button: where it comes, nothing moves. */}
      <Box role="status" mih={30}>
        {news.count > 0 && (
          <Button fullWidth size="xs" variant="outline" onClick={news.show}>
            {text.fresh(news.count, news.isMore)}
          </Button>
        )}
      </Box>
      {entries.length > 0 && <EntryTable entries={entries} choices={choices} />}
      {isError && (
        <Failure of={{ error: query.error, refetch: hasNextPage ? () => query.fetchNextPage() : query.refetch }} />
      )}
      {!isFetching && !isError && entries.length === 0 && <Nothing {...{ wanted, choices }} />}
      {isFetching && entries.length === 0 && <Waiting />}
      {entries.length > 0 && <More of={query} />}
    </Stack>
  )
}

function Nothing({ wanted, choices: { days, keys } }: { wanted: Wanted; choices: Choices }) {
  const text = useWords(words)
  const mayMakeKeys = useMay('owner')
  if (isNarrowed(wanted)) return <Empty text={text.emptyFiltered} />
  const empty = text.empty(days)
  if (keys.length > 0 || !mayMakeKeys) return <Empty text={empty} />
  return (
    <Empty text={`${empty} ${text.makeKey}`}>
      <Button component={Link} href="/integrations" variant="default">
        {text.toKeys}
      </Button>
    </Empty>
  )
}

function EntryTable({ entries, choices }: { entries: Entry[]; choices: Choices }) {
  const text = useWords(words)
  const [opened, setOpened] = useState<Entry | null>(null)
  const { zone } = useMoments()
  return (
    <Paper withBorder>
      <Rows
        label={text.list}
        columns={[
          text.time(zone),
          text.status,
          text.operation,
          text.campaign,
          text.key,
          text.milliseconds,
          text.requestId,
        ]}
        numbers={[text.milliseconds]}
      >
        {entries.map((entry) => (
          <EntryRow key={entry.requestId} of={entry} choices={choices} onOpen={() => setOpened(entry)} />
        ))}
      </Rows>
      <EntryDrawer of={opened} choices={choices} onClose={() => setOpened(null)} />
    </Paper>
  )
}

function EntryRow({ of, choices, onOpen }: { of: Entry; choices: Choices; onOpen(): void }) {
  const text = useWords(words)
  const moments = useMoments()
  const key = choices.keys.find(({ id }) => id === of.keyId)
  return (
    <tr>
      <td data-label={text.time(moments.zone)}>
        <time dateTime={new Date(of.atMs).toISOString()}>{moments.dayAndSecond(of.atMs)}</time>
      </td>
      <td data-label={text.status}>
        <Group gap={6}>
          <Badge color={colourOf(of.status)} variant="outline">
            {of.status}
          </Badge>
          {of.errorCode !== null && <Text size="xs">{of.errorCode}</Text>}
        </Group>
      </td>
      <td data-label={text.operation}>
        {of.operation === null ? (
          <Text c="dimmed" size="sm">
            {text.noOperation}
          </Text>
        ) : (
          text.operations[of.operation]
        )}
      </td>
      <td data-label={text.campaign} className={of.campaignId === null ? 'absent' : 'breaks'}>
        {of.campaignId === null ? (
          '–'
        ) : (
          <Anchor component={Link} href={`/campaigns/${of.campaignId}`} size="sm" underline="always">
            {campaignName(choices, of.campaignId)}
          </Anchor>
        )}
      </td>
      <td data-label={text.key} className="breaks">
        {key?.name ?? of.keyHint}
      </td>
      <td data-label={text.milliseconds} className="number" style={{ whiteSpace: 'nowrap' }}>
        {moments.number(of.milliseconds)} ms
      </td>
      <td data-label={text.requestId} className="breaks">
        <Anchor
          component="button"
          type="button"
          size="xs"
          ta="start"
          aria-label={text.openEntry(of.requestId)}
          onClick={onOpen}
        >
          <Code fz={11} c="var(--mantine-color-text)">
            {of.requestId}
          </Code>
        </Anchor>
      </td>
    </tr>
  )
}
