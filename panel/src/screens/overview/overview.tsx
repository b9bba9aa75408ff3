import { SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { type ComponentType, lazy } from 'react'
import { useAsk } from '../../api.ts'
import { useLanguage, useWords } from '../../language.ts'
import type { DayLinesProps } from '../../parts/day-lines/plot.tsx'
import { Empty } from '../../parts/empty.tsx'
import { Failure } from '../../parts/failure.tsx'
import { besideEachOther, Figure } from '../../parts/figure.tsx'
import { Waiting } from '../../parts/loaded.tsx'
import { Screen } from '../../parts/screen.tsx'
import { useMay } from '../../session.ts'
import { Attentions, type Overview } from './attention.tsx'
import { words } from './words.ts'

const kindsShown = ['registration', 'visit', 'click', 'open'] as const
/** For `lazy`, which forgets the names of the lines. */
type Lines = ComponentType<DayLinesProps<(typeof kindsShown)[number]>>

// Who has the one has no need of the other yet.
const FirstSteps = lazy(async () => ({ default: (await import('./first-steps.tsx')).FirstSteps }))
const DayLines = lazy<Lines>(() => import('../../parts/day-lines/day-lines.tsx'))

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
          {!steps.data.isDone && <FirstSteps campaign={steps.data.campaign} />}
          {(steps.data.isDone || overview.data.attention.length > 0) && <Attentions overview={overview.data} />}
          <Stack>
            <Title order={2} size="h3">
              {text.days}
            </Title>
            <Figures overview={overview.data} />
            <Days days={overview.data.days} />
          </Stack>
        </Stack>
      )}
    </Screen>
  )
}

/** Of thirty days, beside the thirty before; of open offers, now. */
function Figures({ overview: { totals, before, open, campaigns } }: { overview: Overview }) {
  const text = useWords(words)
  const language = useLanguage()
  const count = new Intl.NumberFormat(language).format(open.count)
  return (
    <SimpleGrid {...besideEachOther} component="dl" m={0}>
      <Figure
        name={text.open}
        value={open.isAll ? count : text.atLeast(count)}
        note={text.published(campaigns.published)}
      />
      {kindsShown.map((kind) => (
        <Figure key={kind} name={text.kinds[kind]} value={totals[kind]} before={before[kind]} />
      ))}
    </SimpleGrid>
  )
}

function Days({ days }: Pick<Overview, 'days'>) {
  const text = useWords(words)
  const may = useMay('member')
  const lines = kindsShown.map((name) => ({ name, label: text.kinds[name] }))
  const isEmpty = days.every((day) => kindsShown.every((kind) => day[kind] === 0))
  return (
    <>
      {isEmpty ? (
        <Empty text={may ? `${text.none} ${text.addOne}` : text.none} />
      ) : (
        <DayLines label={text.chart} lines={lines} days={days} />
      )}
      <Text size="sm" c="dimmed">
        {text.daysNote}
      </Text>
    </>
  )
}
