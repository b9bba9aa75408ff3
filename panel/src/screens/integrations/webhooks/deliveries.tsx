import { Badge, Button, Code, Drawer, Group, NativeSelect, Paper, Stack, Title } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type AnswerOf, usePages, useSend } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { useAddress } from '../../../parts/address.ts'
import { Empty } from '../../../parts/empty.tsx'
import { Facts } from '../../../parts/facts.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { LeadLink } from '../../../parts/lead-link.tsx'
import { Waiting } from '../../../parts/loaded.tsx'
import { More } from '../../../parts/more.tsx'
import { Rows } from '../../../parts/rows.tsx'
import { TimeText } from '../../../parts/time-text.tsx'
import { toast } from '../../../parts/toast.tsx'
import { useMay, useSession } from '../../../session.ts'
import { useMoments } from '../history/moments.ts'
import { isPaused, type Webhook } from './webhook.tsx'
import { words } from './words.ts'

const route = 'GET /webhooks/:endpointId/deliveries'
type Delivery = AnswerOf<typeof route>['entries'][number]
type Outcome = 'delivered' | 'failed' | undefined

/** What was sent is in the log within a second: a test just made is seen next time. */
const everyMs = 2_000

/** Newest first; what is shown of them stands in the address. */
export function Deliveries({ of }: { of: Webhook }) {
  const text = useWords(words)
  const mayTest = useMay('owner')
  const [address, put] = useAddress()
  const chosen = address.get('outcome')
  const outcome: Outcome = chosen === 'delivered' || chosen === 'failed' ? chosen : undefined
  const choose = (value: string) => put({ webhook: String(of.id), outcome: value === 'all' ? '' : value })
  const query = useDeliveries(of.id, outcome)
  const entries = query.data?.pages.flatMap((page) => page.entries) ?? []
  const empty = mayTest ? `${text.empty} ${text.testOrWait}` : text.empty
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="end">
        <Title order={3} size="h4">
          {text.log}
        </Title>
        <NativeSelect
          label={text.outcome}
          data={Object.entries(text.outcomes).map(([value, label]) => ({ value, label }))}
          value={outcome ?? 'all'}
          onChange={(event) => choose(event.currentTarget.value)}
        />
      </Group>
      <Failure of={query} />
      {query.isPending && <Waiting />}
      {query.isSuccess && entries.length === 0 && <Empty text={outcome ? text.emptyFiltered : empty} />}
      {entries.length > 0 && <DeliveryTable of={of} entries={entries} />}
      {entries.length > 0 && <More of={query} />}
    </Stack>
  )
}

function useDeliveries(endpointId: number, outcome: Outcome) {
  const asked = (place: { before?: string }) => ({
    params: { endpointId },
    query: { ...(outcome && { outcome }), ...place },
  })
  return usePages(route, asked, {
    // Of several pages each would be asked for again, and for one outcome the whole log may be read each time.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 && outcome === undefined ? everyMs : false),
  })
}

function DeliveryTable({ of, entries }: { of: Webhook; entries: Delivery[] }) {
  const text = useWords(words)
  const moments = useMoments()
  const [shown, setShown] = useState<Delivery>()
  const close = () => setShown(undefined)
  return (
    <Paper withBorder>
      <Rows
        label={text.log}
        columns={[text.time(moments.zone), text.event, text.lead, text.outcome]}
        actions={text.details}
      >
        {entries.map((entry) => (
          <tr key={`${entry.atMs} ${entry.eventId}`}>
            <td data-label={text.time(moments.zone)}>
              <time dateTime={new Date(entry.atMs).toISOString()}>{moments.dayAndSecond(entry.atMs)}</time>
            </td>
            <td data-label={text.event}>{text.kind[entry.kind]}</td>
            <td data-label={text.lead} className="breaks">
              <LeadOf of={entry} />
            </td>
            <td data-label={text.outcome}>
              <OutcomeBadge of={entry} />
            </td>
            <td>
              <Button
                size="compact-sm"
                variant="default"
                aria-label={text.detailsOf(entry.eventId)}
                onClick={() => setShown(entry)}
              >
                {text.details}
              </Button>
            </td>
          </tr>
        ))}
      </Rows>
      <Drawer opened={shown !== undefined} onClose={close} size={520} title={text.details}>
        {shown !== undefined && <Details webhook={of} of={shown} onClose={close} />}
      </Drawer>
    </Paper>
  )
}

function LeadOf({ of: { lead } }: { of: Delivery }) {
  const text = useWords(words)
  return lead === null ? text.none : <LeadLink of={lead} erased={text.erased} />
}

function OutcomeBadge({ of: { cause, status } }: { of: Delivery }) {
  const text = useWords(words)
  return (
    <Badge color={cause === null ? 'teal' : 'red'} variant="outline" tt="none" miw="max-content">
      {status ?? text.outcomes.failed}
    </Badge>
  )
}

/** What came of one request, also of a test. */
export function ResultOf({ of }: { of: Pick<Delivery, 'status' | 'cause' | 'milliseconds'> }) {
  const text = useWords(words)
  const { status, cause, milliseconds } = of
  if (cause === null) return text.delivered(status ?? 0, milliseconds)
  const why = cause === 'status' ? text.causes.status(status ?? 0) : text.causes[cause]
  return text.failed(why, milliseconds)
}

function Details({ webhook, of, onClose }: { webhook: Webhook; of: Delivery; onClose(): void }) {
  const text = useWords(words)
  const { account } = useSession()
  const maySend = useMay('owner')
  const send = useSend('POST /webhooks/:endpointId/resend')
  const resend = async () => {
    await send.mutateAsync({ params: { endpointId: webhook.id }, body: { eventId: of.eventId } })
    onClose()
    toast(isPaused(webhook) ? text.resentLater : text.resent)
  }
  const facts: [string, ReactNode][] = [
    [text.event, `${text.kind[of.kind]} (${of.kind})`],
    [text.eventId, <Code key="id">{of.eventId}</Code>],
    [text.lead, <LeadOf key="lead" of={of} />],
    [text.happened, <TimeText key="happened" at={of.dueAt} withSeconds />],
    [text.sent, <TimeText key="time" at={Math.floor(of.atMs / 1_000)} withSeconds />],
    [text.number, of.tryNumber],
    [text.outcome, <ResultOf key="result" of={of} />],
  ]
  return (
    <Stack>
      <Facts of={facts} />
      <Failure of={{ error: send.error }} invalid={text.notResent} />
      {maySend && of.kind !== 'endpoint.tested' && (
        <Button disabled={account.suspended} loading={send.isPending} onClick={() => resend().catch(() => {})}>
          {text.resend}
        </Button>
      )}
    </Stack>
  )
}
