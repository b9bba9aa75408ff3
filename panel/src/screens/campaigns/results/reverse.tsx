import { Button, Checkbox, Text } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useState } from 'react'
import { type AnswerOf, useSend } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { focusNextRow } from '../../../parts/next-row.ts'
import { useMay, useSession } from '../../../session.ts'
import { salesWords } from './sales-words.ts'

export type Sales = AnswerOf<'GET /campaigns/:campaignId/sales'>
type Order = Pick<Sales['newest'][number], 'id' | 'orderId' | 'closed' | 'reversedAt'>

/** Beside an order, in a row marked as one of `orders`: nothing where it cannot be reversed. */
export function Reverse({ id, campaignId, orderId, closed, reversedAt }: Order & { campaignId: number }) {
  const text = useWords(salesWords)
  const [isAsking, { open, close }] = useDisclosure()
  const [reopen, setReopen] = useState(false)
  const { suspended } = useSession().account
  const mayReverse = useMay('member')
  const send = useSend('POST /campaigns/:campaignId/conversions/reversal')
  if (!mayReverse || orderId === null || reversedAt !== null) return null
  const ask = () => {
    send.reset()
    setReopen(false)
    open()
  }
  return (
    <>
      <Button
        size="compact-xs"
        variant="default"
        disabled={suspended}
        onClick={ask}
        aria-label={`${text.reverse} ${orderId}`}
      >
        {text.reverse}
      </Button>
      <Confirm
        {...{ opened: isAsking, onClose: close, title: text.reverseTitle(orderId), action: text.reverse }}
        {...{ isDangerous: true, send }}
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
