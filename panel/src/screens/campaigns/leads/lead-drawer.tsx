import { Alert, Box, Button, Drawer, Group, Stack, Text } from '@mantine/core'
import { useWindowEvent } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { useAsk } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { Confirm } from '../../../parts/confirm.tsx'
import { Copy, CopyBlock } from '../../../parts/copy.tsx'
import { escapeOf } from '../../../parts/escape.ts'
import { Facts } from '../../../parts/facts.tsx'
import { Failure } from '../../../parts/failure.tsx'
import { Waiting } from '../../../parts/loaded.tsx'
import { TimeText } from '../../../parts/time-text.tsx'
import { useMay, useSession } from '../../../session.ts'
import type { Settings } from '../use-campaign.ts'
import type { Added } from './add-lead.tsx'
import { DrawerSection, type WholeLead } from './drawer-section.tsx'
import { Deadline, StateBadge } from './lead-list.tsx'
import { LeadTimeLine, opensLater } from './lead-time-line.tsx'
import classes from './leads.module.css'
import { Orders } from './record-order.tsx'
import { SetDeadline } from './set-deadline.tsx'
import { useErase } from './use-erase.ts'
import { words } from './words.ts'

type Props = {
  settings: Settings
  leadRef: string | undefined
  /** Of the registration that has just led here. */
  notice: Added | null
  onClose(): void
}

/** One lead, over the list. */
export function LeadDrawer({ settings, leadRef, notice, onClose }: Props) {
  const text = useWords(words)
  // A button that waits for its answer loses the focus to the page.
  useWindowEvent('keydown', ({ key, target }) => {
    if (leadRef !== undefined && key === 'Escape' && target === document.body) onClose()
  })
  return (
    <Drawer
      opened={leadRef !== undefined}
      onClose={onClose}
      {...escapeOf(onClose)}
      size={640}
      padding="lg"
      title={text.lead}
    >
      <div role="status">
        {notice !== null && (
          <Alert color={notice.created ? 'teal' : 'blue'} variant="outline" mb="md">
            {notice.created ? text.registered : text.registeredBefore}
          </Alert>
        )}
      </div>
      {leadRef !== undefined && <LeadByRef key={leadRef} settings={settings} leadRef={leadRef} onErased={onClose} />}
    </Drawer>
  )
}

type ByRefProps = { settings: Settings; leadRef: string; onErased(): void }

function LeadByRef({ settings, leadRef, onErased }: ByRefProps) {
  const text = useWords(words)
  const may = useMay('member')
  const lead = useAsk('GET /campaigns/:campaignId/leads/:ref', {
    params: { campaignId: settings.id, ref: leadRef },
  })
  if (lead.error?.code === 'NOT_FOUND') {
    return (
      <Alert color="gray" variant="outline" role="alert">
        {text.leadGone}
      </Alert>
    )
  }
  if (lead.isLoadingError) return <Failure of={lead} />
  if (lead.isPending) return <Waiting />
  return (
    <Stack gap="xl">
      <Failure of={lead} />
      <Standing lead={lead.data} settings={settings} />
      {may && <SetDeadline lead={lead.data} settings={settings} />}
      <Orders lead={lead.data} settings={settings} />
      <Links lead={lead.data} />
      <DrawerSection title={text.timeLine}>
        <LeadTimeLine lead={lead.data} settings={settings} />
      </DrawerSection>
      {may && <Erase lead={lead.data} settings={settings} onErased={onErased} />}
    </Stack>
  )
}

function Standing({ lead, settings }: { lead: WholeLead; settings: Settings }) {
  const text = useWords(words)
  const { timeZone } = settings
  const opensAt = opensLater(lead)
  const facts: [string, ReactNode][] = [
    [text.columns.deadline, <Deadline key="deadline" lead={lead} settings={settings} />],
    ...(opensAt === null
      ? []
      : [[text.opens, <TimeText key="opens" at={opensAt} timeZone={timeZone} />] as [string, ReactNode]]),
    [text.columns.registered, <TimeText key="registered" at={lead.registeredAt} timeZone={timeZone} />],
    [text.columns.attempt, lead.resets === 0 ? lead.attempt : `${lead.attempt} (${text.resets(lead.resets)})`],
    [text.cycle, lead.cycle],
  ]
  return (
    <Stack gap="sm">
      <Group gap="sm" justify="space-between" align="start" wrap="nowrap">
        <Text fw={600} size="lg" className={classes.address}>
          {lead.email}
        </Text>
        <Box style={{ flexShrink: 0 }}>
          <Copy text={lead.email} name={text.email} />
        </Box>
      </Group>
      <div>
        <StateBadge state={lead.state} />
      </div>
      <Facts of={facts} />
    </Stack>
  )
}

/** As the API hands them out. The image is not shown here: that would count as an open of the mail. */
function Links({ lead: { offer } }: { lead: WholeLead }) {
  const text = useWords(words)
  const may = useMay('member')
  return (
    <DrawerSection title={text.links}>
      {offer.warnings.map((warning) => (
        <Text key={warning} size="sm" c="dimmed">
          {text.warnings[warning]} {may && warning in text.todo && text.todo[warning as keyof typeof text.todo]}
        </Text>
      ))}
      {offer.links.map((link) => (
        <Stack key={link.pageId} gap={4}>
          <Text size="sm" className={classes.address}>
            {text.linkTo(link.pageUrl)}
          </Text>
          <CopyBlock text={link.url} name={text.linkTo(link.pageUrl)} />
          <Text size="xs" c="dimmed" className={classes.address}>
            {text.leadsTo}: {link.target}
          </Text>
        </Stack>
      ))}
      {offer.timers.map(({ language, url }) => (
        <Stack key={language} gap={4}>
          <Text size="sm">{text.timerIn(language)}</Text>
          <CopyBlock text={url} name={text.timerIn(language)} />
        </Stack>
      ))}
    </DrawerSection>
  )
}

function Erase({ lead, settings, onErased }: { lead: WholeLead; settings: Settings; onErased(): void }) {
  const text = useWords(words)
  const [isAsked, setAsked] = useState(false)
  const { suspended } = useSession().account
  const erase = useErase(settings.id)
  return (
    <div>
      <Button color="red" variant="outline" disabled={suspended} onClick={() => setAsked(true)}>
        {text.erase}
      </Button>
      <Confirm
        opened={isAsked}
        onClose={() => setAsked(false)}
        title={text.eraseTitle}
        text={
          <>
            <Text fw={600} className={classes.address}>
              {lead.email}
            </Text>
            <Text size="sm">{text.eraseText}</Text>
          </>
        }
        action={text.eraseDo}
        isDangerous
        onConfirm={() => {
          erase([lead.ref])
          onErased()
        }}
      />
    </div>
  )
}
