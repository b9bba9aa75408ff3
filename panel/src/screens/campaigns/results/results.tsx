import { Button, Group, ScrollArea, SimpleGrid, Stack, Text } from '@mantine/core'
import { useAsk } from '../../../api.ts'
import { locales, useLanguage, useWords } from '../../../language.ts'
import { asciiFile, csvLine } from '../../../parts/csv.ts'
import DayLines from '../../../parts/day-lines/day-lines.tsx'
import { download, fileName } from '../../../parts/download.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { besideEachOther, Figure } from '../../../parts/figure.tsx'
import { Waiting } from '../../../parts/loaded.tsx'
import { NumberTable } from '../../../parts/number-table.tsx'
import { Section } from '../../../parts/section.tsx'
import type { PartProps } from '../use-campaign.ts'
import { Funnel, type Results, steps } from './people.tsx'
import { RangeBar, useRange } from './range.tsx'
import { SalesSection } from './sales.tsx'
import { words } from './words.ts'

const kinds = ['click', 'visit', 'open'] as const

/** What came of the campaign in the days that are chosen, beside the same number of days before. */
export default function ResultsPart({ read: { settings } }: PartProps) {
  const text = useWords(words)
  const [range, setRange] = useRange(settings.timeZone)
  const params = { campaignId: settings.id }
  const results = useAsk('GET /campaigns/:campaignId/results', { params, query: range }, { staleMs: 10_000 })
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="end" gap="sm">
        <RangeBar timeZone={settings.timeZone} range={range} onChange={setRange} />
        <Button
          size="xs"
          variant="default"
          disabled={results.data === undefined}
          onClick={() => results.data && saveCsv(settings.name, results.data)}
        >
          {text.csv}
        </Button>
      </Group>
      <Failure of={results} />
      {results.isPending && <Waiting />}
      {results.data !== undefined && (
        <>
          <People of={results.data} onZoom={(from, to) => setRange({ from, to })} />
          <Happened of={results.data} onZoom={(from, to) => setRange({ from, to })} />
          <SalesSection settings={settings} range={range} />
          <Pages of={results.data} />
          <Text size="sm" c="dimmed">
            {text.zone(results.data.timeZone)}
          </Text>
        </>
      )}
    </Stack>
  )
}

type SectionProps = { of: Results; onZoom(from: string, to: string): void }

function People({ of: { days, totals, before, startsSince, open }, onZoom }: SectionProps) {
  const text = useWords(words)
  const language = useLanguage()
  const day = new Intl.DateTimeFormat(locales[language], { dateStyle: 'long', timeZone: 'UTC' })
  const count = new Intl.NumberFormat(language).format(open.count)
  return (
    <Section title={text.people} note={text.peopleNote}>
      <Text size="sm">
        {text.open}: <b>{open.isAll ? count : text.atLeast(count)}</b>
      </Text>
      <Funnel totals={totals} before={before} />
      {startsSince !== null && (
        <Text size="sm" c="dimmed">
          {text.startsSince(day.format(new Date(startsSince)))}
        </Text>
      )}
      {totals.signedUp === 0 ? (
        <Empty text={text.nobody} />
      ) : (
        <DayLines
          label={text.peopleChart}
          lines={steps.map((name) => ({ name, label: text.steps[name] }))}
          days={days}
          onZoom={onZoom}
        />
      )}
    </Section>
  )
}

function Happened({ of: { days, totals, before }, onZoom }: SectionProps) {
  const text = useWords(words)
  return (
    <Section title={text.happened} note={text.happenedNote}>
      <SimpleGrid {...besideEachOther} component="dl" m={0}>
        {kinds.map((kind) => (
          <Figure key={kind} name={text.kinds[kind]} value={totals[kind]} before={before[kind]} />
        ))}
      </SimpleGrid>
      {kinds.every((kind) => totals[kind] === 0) ? (
        <Empty text={text.nothing} />
      ) : (
        <DayLines
          label={text.happenedChart}
          lines={kinds.map((name) => ({ name, label: text.kinds[name] }))}
          days={days}
          onZoom={onZoom}
        />
      )}
    </Section>
  )
}

function Pages({ of: { pages } }: { of: Results }) {
  const text = useWords(words)
  return (
    <Section title={text.pages}>
      {pages.length === 0 ? (
        <Text size="sm">{text.noPages}</Text>
      ) : (
        <ScrollArea type="auto" viewportProps={{ tabIndex: 0 }}>
          <NumberTable
            miw={300}
            head={[text.page, text.kinds.click, text.kinds.visit]}
            lines={pages.map(({ pageUrl, click, visit }) => [pageUrl ?? text.otherPages, click, visit])}
          />
        </ScrollArea>
      )}
    </Section>
  )
}

function saveCsv(name: string, { days, from, to }: Results): void {
  const head = ['date', 'signed_up', 'started', 'clicked', 'clicks', 'visits', 'opens']
  const lines = days.map(({ date, ...day }) => [date, ...[...steps, ...kinds].map((column) => day[column])])
  download(asciiFile([head, ...lines].map(csvLine)), fileName(name, `-results-${from}-${to}.csv`))
}
