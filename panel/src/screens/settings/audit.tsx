import { Anchor, Button, Group, NativeSelect, Paper, SimpleGrid, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type AnswerOf, useAsk, usePages } from '../../api.ts'
import { useWords } from '../../language.ts'
import { useAddress } from '../../parts/address.ts'
import { DaysInput } from '../../parts/days-input.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Waiting } from '../../parts/loaded.tsx'
import { More } from '../../parts/more.tsx'
import { focusScreen } from '../../parts/next-row.ts'
import { Rows } from '../../parts/rows.tsx'
import { Section } from '../../parts/section.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import { useMoments } from '../integrations/history/moments.ts'
import { AuditCsv } from './audit-csv.tsx'
import { AuditDrawer, useNames } from './audit-entry.tsx'
import { type AuditEntry, type AuditQuery, type Filters, filtersIn, queryOf } from './audit-query.ts'
import { words } from './audit-words.ts'

type Choices = AnswerOf<'GET /audit/choices'>

export default function AuditPart() {
  const { title } = useWords(words)
  const { like } = queryOf(filtersIn(useAddress()[0]))
  // By the entry that the address has: another one of the same person would be no choice.
  const asked = useAsk('GET /audit/choices', { query: like === undefined ? {} : { like } }, { keepsPrevious: true })
  if (asked.isLoadingError) return <Failure of={asked} />
  if (asked.isPending) return <Waiting />
  return (
    <Section title={title}>
      <Audit choices={asked.data} />
    </Section>
  )
}

function Audit({ choices }: { choices: Choices }) {
  const text = useWords(words)
  const [address, put] = useAddress()
  const filters = filtersIn(address)
  const query = queryOf(filters)
  const setFilters = ({ like, action, days: [from, to] }: Filters) =>
    put({ like, action, from: from ?? '', to: to ?? '' })
  const name = JSON.stringify(query)
  const clear = () => {
    setFilters({ like: '', action: '', days: [null, null] })
    focusScreen()
  }
  return (
    <Stack>
      <Text c="dimmed" size="sm">
        {text.intro(choices.days)}
      </Text>
      <FilterBar choices={choices} filters={filters} onChange={setFilters} />
      <Group justify="space-between" mih={30}>
        <AuditCsv key={name} query={query} />
        {name !== '{}' && (
          <Button size="compact-sm" variant="default" onClick={clear}>
            {text.clear}
          </Button>
        )}
      </Group>
      <Entries key={name} query={query} />
    </Stack>
  )
}

type FilterProps = { choices: Choices; filters: Filters; onChange(next: Filters): void }

function FilterBar({ choices, filters, onChange }: FilterProps) {
  const text = useWords(words)
  const names = useNames()
  return (
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="sm">
      <NativeSelect
        label={text.who}
        data={[
          { value: '', label: text.anyone },
          ...choices.actors.map((actor) => ({ value: String(actor.likeId), label: names.actor(actor) })),
        ]}
        value={filters.like}
        onChange={(event) => onChange({ ...filters, like: event.currentTarget.value })}
      />
      <NativeSelect
        label={text.what}
        data={[
          { value: '', label: text.any },
          ...choices.actions.map((action) => ({ value: action, label: names.action(action) })),
        ]}
        value={filters.action}
        onChange={(event) => onChange({ ...filters, action: event.currentTarget.value })}
      />
      <DaysInput
        label={text.period}
        placeholder={text.anyTime}
        value={filters.days}
        onChange={(days) => onChange({ ...filters, days })}
      />
    </SimpleGrid>
  )
}

function Entries({ query }: { query: AuditQuery }) {
  const text = useWords(words)
  const asked = usePages('GET /audit', (place) => ({ query: { ...query, limit: '50' as const, ...place } }))
  if (asked.isPending) return <Waiting />
  const entries = (asked.data?.pages ?? []).flatMap((page) => page.entries)
  const isNarrowed = Object.keys(query).length > 0
  return (
    <Stack gap="sm">
      {entries.length > 0 && <EntryTable entries={entries} />}
      <Failure of={asked} />
      {!asked.isError && entries.length === 0 && <Empty text={isNarrowed ? text.emptyFiltered : text.empty} />}
      {entries.length > 0 && <More of={asked} />}
    </Stack>
  )
}

function EntryTable({ entries }: { entries: AuditEntry[] }) {
  const text = useWords(words)
  const [opened, setOpened] = useState<AuditEntry | null>(null)
  return (
    <Paper withBorder>
      <Rows label={text.list} columns={[text.time, text.who, text.what, text.which]}>
        {entries.map((entry) => (
          <EntryRow key={entry.id} of={entry} onOpen={() => setOpened(entry)} />
        ))}
      </Rows>
      <AuditDrawer of={opened} onClose={() => setOpened(null)} />
    </Paper>
  )
}

function EntryRow({ of, onOpen }: { of: AuditEntry; onOpen(): void }) {
  const text = useWords(words)
  const names = useNames()
  const when = useMoments().dayAndSecond(of.at * 1_000)
  return (
    <tr>
      <td data-label={text.time}>
        <TimeText at={of.at} withSeconds />
      </td>
      <td data-label={text.who} className="breaks" style={{ minWidth: 160 }}>
        {names.actor(of.actor)}
      </td>
      <td data-label={text.what}>
        <Anchor
          component="button"
          type="button"
          size="sm"
          ta="start"
          underline="always"
          aria-label={text.open(names.action(of.action), of.subject.name, when)}
          onClick={onOpen}
        >
          {names.action(of.action)}
        </Anchor>
      </td>
      <td data-label={text.which} className="breaks">
        {names.subject(of.subject)}
        {of.lead !== null && `: ${of.lead.email ?? text.erased}`}
      </td>
    </tr>
  )
}
