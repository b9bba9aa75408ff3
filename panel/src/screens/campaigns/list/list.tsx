import { Anchor, Badge, Button, Group, Paper, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { type AnswerOf, type CallFailed, call } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { rowMark } from '../../../parts/next-row.ts'
import { Screen } from '../../../parts/screen.tsx'
import { words as campaignWords } from '../words.ts'
import { CampaignMenu } from './campaign-menu.tsx'
import { ImportButton } from './import.tsx'
import { NewCampaign } from './new-campaign.tsx'
import { words } from './words.ts'

export type Summary = AnswerOf<'GET /campaigns'>['campaigns'][number]
type State = 'all' | 'draft' | 'published'

export default function CampaignListScreen() {
  const text = useWords(words)
  const campaigns = useQuery<Summary[], CallFailed>({ queryKey: ['GET /campaigns', 'all'], queryFn: readAll })
  const [isNew, { open, close }] = useDisclosure(false)
  const actions = (
    <>
      <Button component={Link} href="/person" variant="default">
        {text.findPerson}
      </Button>
      <ImportButton />
      <Button onClick={open}>{text.new}</Button>
    </>
  )
  return (
    <Screen title={text.title} actions={actions}>
      <NewCampaign opened={isNew} onClose={close} />
      <Failure of={campaigns} />
      {campaigns.data?.length === 0 && (
        <Empty text={text.empty}>
          <Button onClick={open}>{text.new}</Button>
        </Empty>
      )}
      {campaigns.data !== undefined && campaigns.data.length > 0 && <Found campaigns={campaigns.data} />}
    </Screen>
  )
}

/** An account has few campaigns; they come a thousand at a time all the same. */
async function readAll({ signal }: { signal: AbortSignal }): Promise<Summary[]> {
  const all: Summary[] = []
  let afterId: number | null = 0
  while (afterId !== null) {
    const query: { afterId?: string } = afterId === 0 ? {} : { afterId: String(afterId) }
    const page: AnswerOf<'GET /campaigns'> = await call('GET /campaigns', { query }, signal)
    all.push(...page.campaigns)
    afterId = page.nextAfterId
  }
  return all
}

function Found({ campaigns }: { campaigns: Summary[] }) {
  const text = useWords(words)
  const [search, setSearch] = useState('')
  const [state, setState] = useState<State>('all')
  const wanted = search.trim().toLowerCase()
  const found = campaigns.filter(
    ({ name, isDraft }) => name.toLowerCase().includes(wanted) && (state === 'all' || isDraft === (state === 'draft')),
  )
  return (
    <Stack>
      <Group align="end">
        <TextInput
          aria-label={text.search}
          placeholder={text.search}
          type="search"
          value={search}
          flex={1}
          miw={200}
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <SegmentedControl
          aria-label={text.state}
          value={state}
          onChange={(next) => setState(next as State)}
          data={(['all', 'draft', 'published'] as const).map((value) => ({
            value,
            label: text.states[value],
          }))}
        />
      </Group>
      <Text size="sm" c="dimmed" aria-live="polite">
        {text.count(found.length)}
      </Text>
      {found.length === 0 ? (
        <Empty text={text.noMatch} />
      ) : (
        <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {found.toReversed().map((campaign) => (
            <Row key={campaign.id} campaign={campaign} />
          ))}
        </Stack>
      )}
    </Stack>
  )
}

function Row({ campaign }: { campaign: Summary }) {
  const text = useWords(words)
  const state = useWords(campaignWords)
  const { id, name, isDraft, type } = campaign
  return (
    <Paper withBorder p="md" component="li" {...rowMark('campaigns', id)}>
      <Group wrap="nowrap" justify="space-between">
        <Stack gap={4} miw={0}>
          <Anchor component={Link} href={`/campaigns/${id}`} fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Anchor>
          <Group gap="xs">
            <Badge color={isDraft ? 'gray' : 'teal'} variant="outline">
              {isDraft ? state.draft : state.published}
            </Badge>
            <Text size="sm" c="dimmed">
              {text.types[type] ?? type} · {text.id} {id}
            </Text>
          </Group>
        </Stack>
        <CampaignMenu campaign={campaign} />
      </Group>
    </Paper>
  )
}
