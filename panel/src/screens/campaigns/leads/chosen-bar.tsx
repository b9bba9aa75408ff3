import { Button, Group, Modal, Paper, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useWords } from '../../../language.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { escapeOf } from '../../../parts/escape.ts'
import { Failure } from '../../../parts/failure.tsx'
import { focusNextRow, focusOnFault } from '../../../parts/next-row.ts'
import { toast } from '../../../parts/toast.tsx'
import { useSession } from '../../../session.ts'
import type { Settings } from '../use-campaign.ts'
import { DeadlineInput } from './deadline-input.tsx'
import { ExportLeads } from './export-leads.tsx'
import { useErase } from './use-erase.ts'
import { type Filter, useLeadChange } from './use-leads.ts'
import { words } from './words.ts'

/** As many as the service changes or erases by one request. */
export const mostChosen = 500

type Props = {
  chosen: string[]
  settings: Settings
  filter: Filter
  onDone(): void
}

/** What can be done with the leads that are ticked: each is one request for all of them. */
export function ChosenBar(props: Props) {
  return props.chosen.length === 0 ? null : <Bar {...props} />
}

function Bar({ chosen, settings, filter, onDone }: Props) {
  const text = useWords(words)
  const { account } = useSession()
  const erase = useErase(settings.id)
  const [doing, setDoing] = useState<'erase' | 'deadline' | 'export' | null>(null)
  const send = useLeadChange('PUT /campaigns/:campaignId/leads/deadlines', settings.id)
  const params = { campaignId: settings.id }
  const close = () => setDoing(null)
  /** What the dialog has told is not told again in the bar. */
  const closeDeadline = () => {
    if (send.isError) send.reset()
    close()
  }
  /** The bar goes with the ticks: the focus goes on to their first row. */
  const letGo = () => {
    const focusNext = focusNextRow('leads', chosen[0] ?? '')
    onDone()
    focusNext()
  }
  const setDeadline = async (to: string) => {
    // While the list is read again there are no rows.
    const focusNext = focusNextRow('leads', chosen[0] ?? '')
    const { leads } = await send.mutateAsync({ params, body: { refs: [...chosen], to } })
    close()
    toast(text.deadlinesSet(leads.length))
    onDone()
    focusNext()
  }
  const button = { size: 'xs', variant: 'default', disabled: account.suspended } as const
  return (
    <Paper withBorder shadow="md" p="sm" className="foot">
      <Group gap="xs" role="group" aria-label={text.chosen(chosen.length)}>
        <Text size="sm" fw={600} mr="auto">
          {text.chosen(chosen.length)}
          {/* A box that is ticked beyond it stays empty. */}
          <span role="status">{chosen.length === mostChosen && `. ${text.mostChosen(mostChosen)}`}</span>
        </Text>
        <Button {...button} loading={send.isPending} onClick={() => setDeadline('dayLater').catch(() => {})}>
          {text.dayLater}
        </Button>
        <Button
          {...button}
          onClick={() => {
            send.reset()
            setDoing('deadline')
          }}
        >
          {text.deadlineSet}
        </Button>
        <Button {...button} disabled={false} onClick={() => setDoing('export')}>
          {text.export}
        </Button>
        <Button {...button} c="var(--mantine-color-error)" onClick={() => setDoing('erase')}>
          {text.eraseChosen}
        </Button>
        <Button size="xs" variant="subtle" onClick={letGo}>
          {text.chooseNone}
        </Button>
      </Group>
      <Failure of={{ error: doing === null ? send.error : null }} />
      <Confirm
        opened={doing === 'erase'}
        onClose={close}
        title={text.eraseSeveral(chosen.length)}
        text={text.eraseText}
        action={text.eraseDo}
        isDangerous
        onConfirm={() => {
          close()
          erase(chosen)
          onDone()
        }}
      />
      <Modal
        opened={doing === 'deadline'}
        onClose={closeDeadline}
        {...escapeOf(closeDeadline)}
        title={`${text.deadlineTitle}: ${text.chosen(chosen.length)}`}
      >
        <DeadlineForm timeZone={settings.timeZone} send={send} onSet={setDeadline} />
      </Modal>
      <ExportLeads
        settings={settings}
        filter={{ ...filter, state: null, refs: chosen }}
        opened={doing === 'export'}
        onClose={close}
      />
    </Paper>
  )
}

type FormProps = {
  timeZone: string
  send: Pick<
    ReturnType<typeof useLeadChange<'PUT /campaigns/:campaignId/leads/deadlines'>>,
    'error' | 'isPending' | 'reset'
  >
  onSet(at: string): Promise<void>
}

function DeadlineForm({ timeZone, send, onSet }: FormProps) {
  const text = useWords(words)
  const [at, setAt] = useState('')
  const isWrong = send.error?.code === 'INVALID'
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSet(at).catch(() => focusOnFault())
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <DeadlineInput
          {...{ timeZone, at, error: send.error }}
          isFirst
          onChange={(next) => {
            setAt(next)
            send.reset()
          }}
        />
        {!isWrong && <Failure of={{ error: send.error }} />}
        <Button type="submit" loading={send.isPending}>
          {text.deadlineSet}
        </Button>
      </Stack>
    </form>
  )
}
