import { Anchor, Button, Group, Pagination, Paper, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link, useSearchParams } from 'wouter'
import { type AnswerOf, type CallFailed, call } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Waiting } from '../../../parts/loaded.tsx'
import { rowMark } from '../../../parts/next-row.ts'
import { Screen } from '../../../parts/screen.tsx'
import { CampaignBadge } from '../campaign-badge.tsx'
import { CampaignMenu } from './campaign-menu.tsx'
import { ImportButton } from './import.tsx'
import { NewCampaign } from './new-campaign.tsx'
import { words } from './words.ts'

export type Summary = AnswerOf<'GET /campaigns'>['campaigns'][number]
const shownStates = ['all', 'draft', 'live', 'ended'] as const
/** Rows that a phone draws at once. */
const pageSize = 50

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
      {campaigns.isPending && <Waiting />}
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

/** Search, state and page stand in the address: the way back leads to them again. */
function Found({ campaigns }: { campaigns: Summary[] }) {
  const text = useWords(words)
  const [address, setAddress] = useSearchParams()
  const search = address.get('search') ?? ''
  const state = shownStates.find((one) => one === address.get('state')) ?? 'all'
  const wanted = search.trim().toLowerCase()
  const found = campaigns
    .filter((one) => one.name.toLowerCase().includes(wanted) && (state === 'all' || one.state === state))
    .toReversed()
  const pages = Math.max(1, Math.ceil(found.length / pageSize))
  const page = Math.min(pages, Math.max(1, Math.floor(Number(address.get('page'))) || 1))
  const put = (changes: Record<string, string>, replace: boolean) =>
    setAddress(
      (before) => {
        const all = Object.entries({ ...Object.fromEntries(before), page: '', ...changes })
        return new URLSearchParams(all.filter(([, value]) => value !== ''))
      },
      { replace },
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
          onChange={(event) => put({ search: event.currentTarget.value }, true)}
        />
        <SegmentedControl
          aria-label={text.state}
          value={state}
          onChange={(next) => put({ state: next === 'all' ? '' : next }, true)}
          data={shownStates.map((value) => ({ value, label: text.shown[value] }))}
        />
      </Group>
      <Text size="sm" c="dimmed" aria-live="polite">
        {text.count(found.length)}
      </Text>
      {found.length === 0 ? (
        <Empty text={text.noMatch} />
      ) : (
        <Stack gap="sm" component="ul" p={0} m={0} style={{ listStyle: 'none' }}>
          {found.slice((page - 1) * pageSize, page * pageSize).map((campaign) => (
            <Row key={campaign.id} campaign={campaign} />
          ))}
        </Stack>
      )}
      {pages > 1 && (
        <Pagination
          {...{ total: pages, value: page, mx: 'auto' }}
          onChange={(next) => {
            put({ page: next === 1 ? '' : String(next) }, false)
            window.scrollTo(0, 0)
          }}
          getItemProps={(number) => ({ 'aria-label': text.page(number) })}
          getControlProps={(control) => ({ 'aria-label': control === 'next' ? text.nextPage : text.previousPage })}
        />
      )}
    </Stack>
  )
}

function Row({ campaign }: { campaign: Summary }) {
  const text = useWords(words)
  const { id, name, state, type } = campaign
  return (
    <Paper withBorder p="md" component="li" {...rowMark('campaigns', id)}>
      <Group wrap="nowrap" justify="space-between">
        <Stack gap={4} miw={0}>
          <Anchor component={Link} href={`/campaigns/${id}`} fw={600} style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Anchor>
          <Group gap="xs">
            <CampaignBadge state={state} />
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
