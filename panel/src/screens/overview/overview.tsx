import { Anchor, Group, List, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import { type AnswerOf, useAsk } from '../../api.ts'
import { useLanguage, useWords } from '../../language.ts'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { Waiting } from '../../parts/loaded.tsx'
import { Screen } from '../../parts/screen.tsx'
import { TimesIn } from '../../parts/time-text.tsx'
import { DayChart } from './day-chart.tsx'
import { DayTable } from './day-table.tsx'
import { FirstSteps } from './first-steps.tsx'
import { words } from './words.ts'

export type Overview = AnswerOf<'GET /overview'>
export const kindsShown = ['registration', 'visit', 'click', 'open'] as const

export default function OverviewScreen() {
  const text = useWords(words)
  const overview = useAsk('GET /overview', {}, { staleMs: 10_000 })
  const steps = useAsk('GET /first-steps', {})
  return (
    <Screen title={text.title}>
      <Failure of={overview} />
      <Failure of={steps} />
      {(overview.isPending || steps.isPending) && <Waiting />}
      {overview.data !== undefined && steps.data !== undefined && (
        <Stack gap="xl">
          {steps.data.isDone ? <Attentions overview={overview.data} /> : <FirstSteps of={steps.data} />}
          <Today overview={overview.data} />
          <Days days={overview.data.days} />
        </Stack>
      )}
    </Screen>
  )
}

function Today({ overview: { days, open, campaigns } }: { overview: Overview }) {
  const text = useWords(words)
  const language = useLanguage()
  const number = (count: number) => new Intl.NumberFormat(language).format(count)
  const today = days.at(-1)
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 5 }} component="dl" m={0}>
      <Figure
        name={text.open}
        value={number(open.open)}
        note={open.isAll ? text.published(campaigns.published) : text.openSome(number(open.read))}
      />
      {kindsShown.map((kind) => (
        <Figure key={kind} name={text.kinds[kind]} value={number(today?.[kind] ?? 0)} note={text.today} />
      ))}
    </SimpleGrid>
  )
}

function Figure({ name, value, note }: { name: string; value: string; note: string }) {
  return (
    <Paper withBorder p="md">
      <Text component="dt" size="sm">
        {name}
      </Text>
      <Text component="dd" m={0} fz={28} fw={700}>
        {value}
      </Text>
      <Text component="dd" m={0} size="xs" c="dimmed">
        {note}
      </Text>
    </Paper>
  )
}

function Days({ days }: Pick<Overview, 'days'>) {
  const text = useWords(words)
  const isEmpty = days.every((day) => kindsShown.every((kind) => day[kind] === 0))
  return (
    <Stack>
      <Title order={2} size="h3">
        {text.days}
      </Title>
      {isEmpty ? (
        <Empty text={text.none} />
      ) : (
        <>
          <DayChart days={days} />
          <DayTable days={days} />
        </>
      )}
      <Text size="sm" c="dimmed">
        {text.daysNote}
      </Text>
    </Stack>
  )
}

type Attention = Overview['attention'][number]['what']

/** Where each thing is put right. */
const places = {
  NO_CAMPAIGN: () => '/campaigns',
  NO_KEY: () => '/integrations',
  KEY_ENDS: () => '/integrations',
  TOOLS_OFF: () => null,
  NO_PAGE: (id: number | null) => `/campaigns/${id}/pages`,
  WIDGET_NEVER_SEEN: (id: number | null) => `/campaigns/${id}/pages`,
  OVER: (id: number | null) => `/campaigns/${id}`,
  NO_DEADLINE: (id: number | null) => `/campaigns/${id}`,
} satisfies Record<Attention, (id: number | null) => string | null>

function Attentions({ overview: { attention: found, campaigns } }: { overview: Overview }) {
  const text = useWords(words)
  const wordsOf = (what: Attention, when: string) => (what === 'KEY_ENDS' ? text.what[what](when) : text.what[what])
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        {text.attention}
      </Title>
      {found.length === 0 && <Text size="sm">{text.allWell}</Text>}
      <List size="sm" spacing={6}>
        {found.map(({ what, campaignId, name, until }) => (
          <List.Item key={`${what} ${campaignId}`}>
            <Group gap={4} component="span">
              <Place to={places[what](campaignId)} text={name ?? wordsOf(what, '')} />
              {name !== null && (
                <span>
                  <TimesIn at={until === null ? [] : [until]} say={(when = '') => wordsOf(what, when)} />
                </span>
              )}
            </Group>
          </List.Item>
        ))}
      </List>
      {campaigns.looked < campaigns.published && (
        <Text size="xs" c="dimmed" mt="xs">
          {text.looked(campaigns.looked)}
        </Text>
      )}
    </Paper>
  )
}

function Place({ to, text }: { to: string | null; text: string }) {
  if (to === null) return <span>{text}</span>
  return (
    <Anchor component={Link} href={to} size="sm" style={{ overflowWrap: 'anywhere' }}>
      {text}
    </Anchor>
  )
}
