import { Button, Group, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useWords } from '../../../language.ts'
import { Failure } from '../../../parts/failure.tsx'
import { focusOnFault } from '../../../parts/next-row.ts'
import { useSession } from '../../../session.ts'
import type { Settings } from '../use-campaign.ts'
import { DeadlineInput } from './deadline-input.tsx'
import { DrawerSection, type WholeLead } from './drawer-section.tsx'
import { useLeadChange } from './use-leads.ts'
import { words } from './words.ts'

/** A deadline for one lead, as clocks of the campaign's zone show it. */
export function SetDeadline({ lead, settings }: { lead: WholeLead; settings: Settings }) {
  const text = useWords(words)
  const { id: campaignId, timeZone } = settings
  const send = useLeadChange('PUT /campaigns/:campaignId/leads/deadlines', campaignId, (leads, { leads: changed }) =>
    leads.map((one) => ({ ...one, ...changed.find(({ ref }) => ref === one.ref) })),
  )
  const [at, setAt] = useState('')
  const { suspended } = useSession().account
  const isWrong = send.error?.code === 'INVALID'
  const isLater = send.variables?.body.to === 'dayLater'
  const set = (to: string) => send.mutateAsync({ params: { campaignId }, body: { refs: [lead.ref], to } })
  const save = async (to: string) => {
    await set(to)
    setAt('')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save(at).catch(() => focusOnFault())
  }
  return (
    <DrawerSection title={text.deadlineTitle}>
      <form onSubmit={submit}>
        <Stack gap="sm">
          <DeadlineInput
            {...{ timeZone, at, error: send.error }}
            onChange={(next) => {
              setAt(next)
              send.reset()
            }}
          />
          {!isWrong && <Failure of={{ error: send.error }} />}
          <Group gap="sm">
            <Button
              type="submit"
              variant="default"
              disabled={suspended || send.isPending}
              loading={send.isPending && !isLater}
            >
              {text.deadlineSet}
            </Button>
            {lead.deadline !== null && (
              <Button
                variant="default"
                disabled={suspended || send.isPending}
                loading={send.isPending && isLater}
                onClick={() => set('dayLater').catch(() => {})}
              >
                {text.dayLater}
              </Button>
            )}
            {lead.setByHand && (
              <Button
                variant="default"
                title={text.deadlineClearText}
                disabled={suspended || send.isPending}
                onClick={() => save('rule').catch(() => {})}
              >
                {text.deadlineClear}
              </Button>
            )}
            <Text size="sm" role="status">
              {send.isSuccess && text.saved}
            </Text>
          </Group>
        </Stack>
      </form>
    </DrawerSection>
  )
}
