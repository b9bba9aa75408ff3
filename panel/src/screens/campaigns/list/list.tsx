import { Button, Group, NativeSelect, Pagination, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type AnswerOf, type CallFailed, call } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { useAddress } from '../../../parts/address.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Waiting } from '../../../parts/loaded.tsx'
import { toBeginning } from '../../../parts/next-row.ts'
import { RoleNote } from '../../../parts/role-note.tsx'
import { Screen } from '../../../parts/screen.tsx'
import { useMay, useSession } from '../../../session.ts'
import type { Summary } from './campaign-menu.tsx'
import { CampaignTable } from './campaign-table.tsx'
import { ImportButton } from './import.tsx'
import { NewCampaign } from './new-campaign.tsx'
import { words } from './words.ts'

const shownStates = ['all', 'draft', 'live', 'ended', 'archived'] as const
const sorts = ['newest', 'name', 'signUps', 'clicks', 'ends'] as const
type Sort = (typeof sorts)[number]
/** Rows that a phone draws at once. */
const pageSize = 50

export default function CampaignListScreen() {
  const text = useWords(words)
  const campaigns = useQuery<Summary[], CallFailed>({ queryKey: ['GET /campaigns', 'all'], queryFn: readAll })
  const [isNew, { open, close }] = useDisclosure(false)
  const may = useMay('member')
  const { suspended } = useSession().account
  const begin = (
    <Button onClick={open} disabled={suspended}>
      {text.new}
    </Button>
  )
  const actions = (
    <>
      <Button component={Link} href="/person" variant="default">
        {text.findPerson}
      </Button>
      {may && <ImportButton />}
      {may && begin}
    </>
  )
  return (
    <Screen title={text.title} actions={actions}>
      <RoleNote needed="member">{text.onlyMembers}</RoleNote>
      <NewCampaign opened={isNew} onClose={close} />
      <Failure of={campaigns} />
      {campaigns.isPending && <Waiting />}
      {campaigns.data?.length === 0 && (
        <Empty text={may ? `${text.empty} ${text.makeFirst}` : text.empty}>{may && begin}</Empty>
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
  const [address, put] = useAddress()
  const search = address.get('search') ?? ''
  const state = shownStates.find((one) => one === address.get('state')) ?? 'all'
  const sort = sorts.find((one) => one === address.get('sort')) ?? 'newest'
  const wanted = search.trim().toLowerCase()
  const found = campaigns
    .filter((one) => one.name.toLowerCase().includes(wanted) && isShown(one, state))
    .sort(orders[sort])
  const pages = Math.max(1, Math.ceil(found.length / pageSize))
  const page = Math.min(pages, Math.max(1, Math.floor(Number(address.get('page'))) || 1))
  /** Anything but another page begins with the first page. */
  const want = (changes: Record<string, string>) => put({ page: '', ...changes })
  return (
    <Stack>
      <Group align="end" gap="sm">
        <TextInput
          aria-label={text.search}
          placeholder={text.search}
          type="search"
          value={search}
          flex={1}
          miw="min(100%, 12.5rem)"
          onChange={(event) => want({ search: event.currentTarget.value })}
        />
        <SegmentedControl
          size="xs"
          aria-label={text.state}
          value={state}
          onChange={(next) => want({ state: next === 'all' ? '' : next })}
          data={shownStates.map((value) => ({ value, label: text.shown[value] }))}
        />
        <NativeSelect
          aria-label={text.sort}
          value={sort}
          onChange={(event) => want({ sort: event.currentTarget.value === 'newest' ? '' : event.currentTarget.value })}
          data={sorts.map((value) => ({ value, label: text.sorts[value] }))}
        />
      </Group>
      <Text size="sm" c="dimmed" aria-live="polite">
        {text.count(found.length)}
      </Text>
      {found.length === 0 ? (
        <Empty text={wanted === '' && state === 'all' ? text.allArchived : text.noMatch} />
      ) : (
        <CampaignTable campaigns={found.slice((page - 1) * pageSize, page * pageSize)} />
      )}
      {pages > 1 && (
        <Pagination
          {...{ total: pages, value: page, mx: 'auto' }}
          onChange={(next) => {
            put({ page: next === 1 ? '' : String(next) }, false)
            toBeginning()
          }}
          getItemProps={(number) => ({ 'aria-label': text.page(number) })}
          getControlProps={(control) => ({ 'aria-label': control === 'next' ? text.nextPage : text.previousPage })}
        />
      )}
    </Stack>
  )
}

function isShown({ isArchived, state }: Summary, wanted: (typeof shownStates)[number]): boolean {
  if (wanted === 'archived') return isArchived
  return !isArchived && (wanted === 'all' || wanted === state)
}

const sumOf = ({ signUps }: Summary) => signUps.reduce((sum, one) => sum + one, 0)
const newestFirst = (a: Summary, b: Summary) => b.id - a.id

/** What ends sooner stands first, and what has no end of its own last. */
const orders: Record<Sort, (a: Summary, b: Summary) => number> = {
  newest: newestFirst,
  name: (a, b) => a.name.localeCompare(b.name) || newestFirst(a, b),
  signUps: (a, b) => sumOf(b) - sumOf(a) || newestFirst(a, b),
  clicks: (a, b) => b.clicks - a.clicks || newestFirst(a, b),
  ends: (a, b) => (a.endsAt ?? Number.MAX_SAFE_INTEGER) - (b.endsAt ?? Number.MAX_SAFE_INTEGER) || newestFirst(a, b),
}
