import { Button, Group, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useWords } from '../../../language.ts'
import { Failure } from '../../../parts/failure.tsx'
import { focusOnFault } from '../../../parts/next-row.ts'
import { useSession } from '../../../session.ts'
import type { Settings } from '../use-campaign.ts'
import { DeadlineInput } from './deadline-input.tsx'
import { Section, type WholeLead } from './lead-drawer.tsx'
import { useLeadChange } from './use-leads.ts'
import { words } from './words.ts'

/** A deadline for one lead, as clocks of the campaign's zone show it. */
export function SetDeadline({ lead, settings }: { lead: WholeLead; settings: Settings }) {
  const text = useWords(words)
  const { id: campaignId, timeZone } = settings
  const send = useLeadChange('PUT /campaigns/:campaignId/leads/:ref/deadline', campaignId, (leads, changed) =>
    leads.map((one) => (one.ref === changed.ref ? { ...one, ...changed } : one)),
  )
  const [at, setAt] = useState('')
  const { suspended } = useSession().account
  const isWrong = send.error?.code === 'INVALID'
  const later = useLeadChange('PUT /campaigns/:campaignId/leads/deadlines', campaignId, (leads, { leads: changed }) =>
    leads.map((one) => ({ ...one, ...changed.find(({ ref }) => ref === one.ref) })),
  )
  const isBusy = send.isPending || later.isPending
  // What came of the one is not said beside what comes of the other.
  const save = async (next: string | null) => {
    later.reset()
    await send.mutateAsync({ params: { campaignId, ref: lead.ref }, body: { at: next } })
    setAt('')
  }
  const dayLater = () => {
    send.reset()
    later.mutate({ params: { campaignId }, body: { refs: [lead.ref], at: null } })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save(at).catch(() => focusOnFault())
  }
  return (
    <Section title={text.deadlineTitle}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <DeadlineInput
            {...{ timeZone, at, error: send.error }}
            onChange={(next) => {
              setAt(next)
              send.reset()
              later.reset()
            }}
          />
          {!isWrong && <Failure of={{ error: send.error ?? later.error }} />}
          <Group gap="sm">
            <Button type="submit" variant="default" disabled={suspended || isBusy} loading={send.isPending}>
              {text.deadlineSet}
            </Button>
            {lead.deadline !== null && (
              <Button variant="default" disabled={suspended || isBusy} loading={later.isPending} onClick={dayLater}>
                {text.dayLater}
              </Button>
            )}
            {lead.setByHand && (
              <Button
                variant="default"
                title={text.deadlineClearText}
                disabled={suspended || isBusy}
                onClick={() => save(null).catch(() => {})}
              >
                {text.deadlineClear}
              </Button>
            )}
            <Text size="sm" role="status">
              {(send.isSuccess || later.isSuccess) && text.saved}
            </Text>
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
