import { Button, Group, Paper, ScrollArea, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { useAsk } from '../../../api.ts'
import { useLanguage, useWords } from '../../../language.ts'
import { asciiFile, csvLine } from '../../../parts/csv.ts'
import { download, fileName } from '../../../parts/download.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { besideEachOther, Figure } from '../../../parts/figure.tsx'
import { Waiting } from '../../../parts/loaded.tsx'
import { rowMark } from '../../../parts/next-row.ts'
import { NumberTable } from '../../../parts/number-table.tsx'
import { shareText } from '../../../parts/percent.ts'
import { Rows } from '../../../parts/rows.tsx'
import { Section } from '../../../parts/section.tsx'
import { TimeText } from '../../../parts/time-text.tsx'
import type { Settings } from '../use-campaign.ts'
import type { Range } from './range.tsx'
import { Reverse, type Sales } from './reverse.tsx'
import { salesWords, timeLeftText } from './sales-words.ts'

/** Who bought in these days, for how much, and how long before the end. */
export function SalesSection({ settings, range }: { settings: Settings; range: Range }) {
  const text = useWords(salesWords)
  const params = { campaignId: settings.id }
  const sales = useAsk('GET /campaigns/:campaignId/sales', { params, query: range }, { staleMs: 10_000 })
  return (
    <Section title={text.sales} note={text.salesNote}>
      <Failure of={sales} />
      {sales.isPending && <Waiting />}
      {sales.data !== undefined && (
        <>
          <Totals of={sales.data} />
          {sales.data.orders.orders === 0 ? <Empty text={text.none} /> : <TimeLeft of={sales.data} />}
          {sales.data.newest.length > 0 && <Newest of={sales.data} settings={settings} />}
          <Group>
            <Button size="xs" variant="default" onClick={() => saveCsv(settings.name, sales.data)}>
              {text.csv}
            </Button>
          </Group>
        </>
      )}
    </Section>
  )
}

/** `€49.00, $20.00`. */
export const money = (revenue: Sales['orders']['revenue'], language: string) =>
  Object.entries(revenue)
    .map(([currency, amount]) => {
      const [, fraction = ''] = amount.split('.')
      // Browsers round to whole forints, which have a hundredth by ISO 4217.
      const places = /[1-9]/.test(fraction) ? { minimumFractionDigits: fraction.length } : {}
      const number = new Intl.NumberFormat(language, { style: 'currency', currency, ...places })
      // Exact, whatever its size: the text is not made a number first.
      return number.format(amount as Intl.StringNumericLiteral)
    })
    .join(', ') || '–'

function Totals({ of: { orders, funnel } }: { of: Sales }) {
  const text = useWords(salesWords)
  const language = useLanguage()
  const number = new Intl.NumberFormat(language)
  const revenue = money(orders.revenue, language)
  // A large sum has a line of a phone to itself.
  const isLong = Math.max(...revenue.split(', ').map((sum) => sum.length)) > 17
  return (
    <SimpleGrid {...besideEachOther} minColWidth={`min(100%, ${isLong ? 13 : 9.5}rem)`} component="dl" m={0}>
      <Figure name={text.orders} value={orders.orders} note={text.closed(number.format(orders.closed))} />
      <Figure name={text.revenue} value={revenue} />
      <Figure
        name={text.converted}
        value={funnel.converted}
        {...(funnel.share !== null && { note: text.share(shareText(funnel.share, language, 1)) })}
      />
      <Figure name={text.reversed} value={orders.reversed} />
    </SimpleGrid>
  )
}

function TimeLeft({ of: { timeLeft } }: { of: Sales }) {
  const text = useWords(salesWords)
  const language = useLanguage()
  return (
    <ScrollArea type="auto" viewportProps={{ tabIndex: 0 }}>
      <NumberTable
        head={[text.left, text.orders, text.revenue]}
        lines={timeLeft.map(({ left, orders, revenue }) => [text.timesLeft[left], orders, money(revenue, language)])}
      />
    </ScrollArea>
  )
}

function Newest({ of: { newest }, settings: { id: campaignId, timeZone } }: { of: Sales; settings: Settings }) {
  const text = useWords(salesWords)
  const language = useLanguage()
  const leftText = (secondsLeft: number) => {
    const time = timeLeftText(Math.abs(secondsLeft), language)
    return secondsLeft < 0 ? text.afterEnd(time) : time
  }
  return (
    <Stack gap="xs">
      <div>
        <Title order={3} size="h5">
          {text.newest}
        </Title>
        <Text size="sm" c="dimmed">
          {text.newestNote}
        </Text>
      </div>
      <Paper withBorder>
        <Rows
          label={text.newest}
          columns={[text.at, text.order, text.buyer, text.amount, text.left]}
          actions={text.reverse}
        >
          {newest.map(({ id, at, orderId, email, amount, currency, secondsLeft, closed, reversedAt }) => (
            <tr
              key={id}
              {...(reversedAt === null ? rowMark('orders', id) : { style: { textDecoration: 'line-through' } })}
            >
              <td data-label={text.at}>
                <TimeText at={at} timeZone={timeZone} />
              </td>
              <td data-label={text.order} className="breaks">
                {orderId ?? text.erased}
              </td>
              <td data-label={text.buyer} className="breaks">
                {email ?? text.erased}
              </td>
              <td data-label={text.amount}>
                {amount === null || currency === null ? '–' : money({ [currency]: amount }, language)}
              </td>
              <td data-label={text.left}>{secondsLeft === null ? text.timesLeft.none : leftText(secondsLeft)}</td>
              <td>
                {reversedAt !== null && <span style={{ display: 'inline-block' }}>{text.isReversed}</span>}
                <Reverse {...{ id, campaignId, orderId, closed, reversedAt }} />
              </td>
            </tr>
          ))}
        </Rows>
      </Paper>
    </Stack>
  )
}

/** A line for each currency; orders are on the first of them, so that they add up. */
function saveCsv(name: string, { from, to, timeLeft, sinceRegistration, days }: Sales): void {
  const parts = [
    ...timeLeft.map(({ left, ...sum }) => ['time left', left, sum] as const),
    ...sinceRegistration.map(({ days: day, ...sum }) => ['days since sign-up', day, sum] as const),
    ...days.map(({ date, ...sum }) => ['day', date, sum] as const),
  ]
  const lines = parts.flatMap(([part, value, { orders, revenue }]) => {
    const sums = Object.entries(revenue)
    return (sums.length === 0 ? [['', '']] : sums).map((sum, index) => [
      ...[part, value, index === 0 ? orders : ''],
      ...sum,
    ])
  })
  const head = ['part', 'value', 'orders', 'currency', 'revenue']
  download(asciiFile([head, ...lines].map(csvLine)), fileName(name, `-sales-${from}-${to}.csv`))
}
