import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { AnswerOf } from '../../../api.ts'
import { useLanguage, useWords } from '../../../language.ts'
import { Failure } from '../../../parts/failure.tsx'
import { focusOnFault, rowMark } from '../../../parts/next-row.ts'
import { TimeText } from '../../../parts/time-text.tsx'
import { useMay, useSession } from '../../../session.ts'
import { Reverse } from '../results/reverse.tsx'
import { money } from '../results/sales.tsx'
import { plainAmount, salesWords, timeLeftText } from '../results/sales-words.ts'
import type { Settings } from '../use-campaign.ts'
import { DrawerSection, type WholeLead } from './drawer-section.tsx'
import classes from './leads.module.css'
import { useLeadChange } from './use-leads.ts'

const empty = { orderId: '', amount: '', currency: '' }
const names = ['orderId', 'amount', 'currency'] as const
type Name = (typeof names)[number]

type Told = AnswerOf<'POST /campaigns/:campaignId/leads/:ref/conversions'>

type Props = { lead: WholeLead; settings: Settings }

/** What a lead bought, and one more that a user knows of. */
export function Orders({ lead, settings }: Props) {
  const text = useWords(salesWords)
  const language = useLanguage()
  const may = useMay('member')
  const { id: campaignId, timeZone } = settings
  const whenText = (secondsLeft: number) => {
    const time = timeLeftText(Math.abs(secondsLeft), language)
    return secondsLeft < 0 ? text.afterEnd(time) : text.beforeEnd(time)
  }
  return (
    <DrawerSection title={text.orders}>
      {lead.orders.length === 0 && <Text size="sm">{text.noOrders}</Text>}
      {lead.orders.map(({ id, orderId, at, amount, currency, secondsLeft, closed, reversedAt }) => (
        <Group key={id} gap="xs" justify="space-between" {...(reversedAt === null && rowMark('orders', id))}>
          <Text size="sm" className={classes.address} flex={1} miw="min(100%, 12rem)">
            <Text span inherit {...(reversedAt !== null && { td: 'line-through' })}>
              <b>{orderId}</b> · <TimeText at={at} timeZone={timeZone} />
              {amount !== null && currency !== null && ` · ${money({ [currency]: amount }, language)}`}
              {secondsLeft !== null && ` · ${whenText(secondsLeft)}`}
            </Text>
            {reversedAt !== null && ` · ${text.isReversed}`}
          </Text>
          <Reverse {...{ id, campaignId, orderId, closed, reversedAt }} />
        </Group>
      ))}
      {may && <RecordOrder lead={lead} settings={settings} />}
    </DrawerSection>
  )
}

function RecordOrder({ lead, settings: { id: campaignId } }: Props) {
  const text = useWords(salesWords)
  const send = useLeadChange('POST /campaigns/:campaignId/leads/:ref/conversions', campaignId)
  const [order, setOrder] = useState(empty)
  const { suspended } = useSession().account
  const isOfOther = ({ created, email }: Told) => !created && email !== lead.email
  const ofOther = send.data !== undefined && isOfOther(send.data) && text.ofOther(send.data.email)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = event.currentTarget
    const orderId = order.orderId.trim()
    const amount = plainAmount(order.amount)
    const currency = order.currency.trim().toUpperCase()
    const body = { orderId, ...(amount !== '' && { amount }), ...(currency !== '' && { currency }) }
    send.mutate(
      { params: { campaignId, ref: lead.ref }, body },
      {
        onSuccess: (told) => (isOfOther(told) ? focusOnFault(form) : setOrder(empty)),
        onError: () => focusOnFault(form),
      },
    )
  }
  const isWrong = (name: Name) => send.error?.faults.some(({ path }) => path === name) === true
  const field = (name: Name, label: string) => (
    <TextInput
      label={label}
      maxLength={100}
      required={name === 'orderId'}
      value={order[name]}
      error={(isWrong(name) && text.wrong[name]) || (name === 'orderId' && ofOther)}
      onChange={(event) => {
        setOrder({ ...order, [name]: event.currentTarget.value })
        send.reset()
      }}
    />
  )
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        {field('orderId', text.orderId)}
        <Group grow align="start">
          {field('amount', text.amount)}
          {field('currency', text.currency)}
        </Group>
        {!names.some(isWrong) && <Failure of={{ error: send.error }} />}
        <Group gap="sm">
          <Button type="submit" variant="default" disabled={suspended} loading={send.isPending}>
            {text.tell}
          </Button>
          <Text size="sm" role="status">
            {send.isSuccess && ofOther === false && (send.data.created ? text.told : text.known)}
          </Text>
        </Group>
      </Stack>
    </form>
  )
}
