import { Button, Checkbox, Group, ScrollArea, SimpleGrid, Table, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { type AnswerOf, useAsk, useSend } from '../../../api.ts'
import { useLanguage, useWords } from '../../../language.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { download, fileName } from '../../../parts/download.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Figure } from '../../../parts/figure.tsx'
import { Waiting } from '../../../parts/loaded.tsx'
import { focusNextRow, rowMark } from '../../../parts/next-row.ts'
import { NumberTable } from '../../../parts/number-table.tsx'
import { TimeText } from '../../../parts/time-text.tsx'
import { useMay, useSession } from '../../../session.ts'
import type { Settings } from '../use-campaign.ts'
import type { Range } from './range.tsx'
import { Section } from './results.tsx'
import { salesWords, timeLeftText } from './sales-words.ts'

export type Sales = AnswerOf<'GET /campaigns/:campaignId/sales'>

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
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 1 })
  const revenue = money(orders.revenue, language)
  // A large sum has a line of a phone to itself.
  const isLong = Math.max(...revenue.split(', ').map((sum) => sum.length)) > 17
  return (
    <SimpleGrid cols={{ base: isLong ? 1 : 2, xs: 2, md: 4 }} spacing={{ base: 'xs', sm: 'md' }} component="dl" m={0}>
      <Figure name={text.orders} value={orders.orders} note={text.closed(number.format(orders.closed))} />
      <Figure name={text.revenue} value={revenue} />
      <Figure
        name={text.converted}
        value={funnel.converted}
        {...(funnel.share !== null && { note: text.share(percent.format(funnel.share)) })}
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
  const mayReverse = useMay('member')
  return (
    <ScrollArea type="auto" offsetScrollbars="x" viewportProps={{ tabIndex: 0 }}>
      <Table miw={720} captionSide="top">
        <Table.Caption ta="start">{text.newest}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            {[text.at, text.order, text.buyer, text.amount, text.left].map((name) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
            <Table.Td />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {newest.map(({ id, at, orderId, email, amount, currency, secondsLeft, closed, reversedAt }) => (
            <Table.Tr key={id} {...(reversedAt === null ? rowMark('orders', id) : { td: 'line-through' })}>
              <Table.Td>
                <TimeText at={at} timeZone={timeZone} />
              </Table.Td>
              <Table.Td>{orderId ?? text.erased}</Table.Td>
              <Table.Td>{email ?? text.erased}</Table.Td>
              <Table.Td>
                {amount === null || currency === null ? '–' : money({ [currency]: amount }, language)}
              </Table.Td>
              <Table.Td>{secondsLeft === null ? text.timesLeft.none : timeLeftText(secondsLeft, language)}</Table.Td>
              <Table.Td>
                {reversedAt !== null && text.isReversed}
                {mayReverse && orderId !== null && reversedAt === null && (
                  <Reverse {...{ id, campaignId, orderId, closed }} />
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollArea>
  )
}

type ReverseProps = { id: number; campaignId: number; orderId: string; closed: boolean }

function Reverse({ id, campaignId, orderId, closed }: ReverseProps) {
  const text = useWords(salesWords)
  const [isAsking, { open, close }] = useDisclosure()
  const [reopen, setReopen] = useState(false)
  const { suspended } = useSession().account
  const send = useSend('POST /campaigns/:campaignId/conversions/reversal')
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        disabled={suspended}
        onClick={open}
        aria-label={`${text.reverse} ${orderId}`}
      >
        {text.reverse}
      </Button>
      <Confirm
        {...{ opened: isAsking, onClose: close, title: text.reverseTitle(orderId), action: text.reverse }}
        {...{ isDangerous: true, isPending: send.isPending, error: send.error }}
        text={
          <>
            <Text size="sm">{text.reverseText}</Text>
            {closed && (
              <Checkbox
                label={text.reopen}
                checked={reopen}
                onChange={(event) => setReopen(event.currentTarget.checked)}
              />
            )}
          </>
        }
        onConfirm={() => {
          const focusNext = focusNextRow('orders', id)
          send.mutateAsync({ params: { campaignId }, body: { orderId, reopen } }).then(focusNext, () => {})
        }}
      />
    </>
  )
}

/**
 * A line for each currency; orders are on the first of them, so that they add up. No value has a comma, or a sign that
 * a spreadsheet would take for a formula.
 */
function saveCsv(name: string, { from, to, timeLeft, sinceRegistration, days }: Sales): void {
  const parts = [
    ...timeLeft.map(({ left, ...sum }) => ['time left', left, sum] as const),
    ...sinceRegistration.map(({ days: day, ...sum }) => ['days since sign-up', String(day), sum] as const),
    ...days.map(({ date, ...sum }) => ['day', date, sum] as const),
  ]
  const lines = parts.flatMap(([part, value, { orders, revenue }]) => {
    const sums = Object.entries(revenue)
    return (sums.length === 0 ? [['', '']] : sums).map((sum, index) =>
      [part, value, index === 0 ? orders : '', ...sum].join(','),
    )
  })
  const text = ['part,value,orders,currency,revenue', ...lines].map((line) => `${line}\r\n`).join('')
  download(new Blob([text], { type: 'text/csv' }), fileName(`${name} sales ${from} ${to}`, 'csv'))
}
