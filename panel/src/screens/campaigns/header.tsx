import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useRef } from 'react'
import { Link } from 'wouter'
import { useWords } from '../../language.ts'
import { afterClosing } from '../../parts/next-row.ts'
import { RoleNote } from '../../parts/role-note.tsx'
import { useMay, useSession } from '../../session.ts'
import { CampaignBadge } from './campaign-badge.tsx'
import { Publish } from './publish.tsx'
import type { Whole } from './use-campaign.ts'
import { WhatNow } from './what-now.tsx'
import { words } from './words.ts'

/** What stands above every part of a campaign: what it is, what to do next, and the button that publishes it. */
export function CampaignHeader({ of }: { of: Whole }) {
  const text = useWords(words)
  const opener = useRef<HTMLButtonElement>(null)
  const [isOpen, { open, close }] = useDisclosure(false)
  // Not by Mantine: the focus may have been in the dialog that published the campaign, which is gone.
  const closeWhatNow = () => {
    close()
    opener.current?.focus()
  }
  const may = useMay('member')
  const { settings, state } = of
  const { id, name } = settings
  return (
    <Stack gap={4}>
      <Anchor component={Link} href="/campaigns" size="sm">
        ← {text.back}
      </Anchor>
      <Group justify="space-between" align="start" gap="sm">
        <Stack gap={4} flex={1} miw="min(100%, 15rem)">
          <Group gap="sm">
            <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
              {name}
            </Title>
            <CampaignBadge state={state} size="lg" />
            {of.isArchived && <Text size="sm">{text.archived}</Text>}
            {of.open !== null && (
              <Text size="sm" c="dimmed">
                {text.open(of.open.count, of.open.isAll)}
              </Text>
            )}
          </Group>
          {may ? <NextStep of={of} /> : <RoleNote needed="member">{text.onlyMembers}</RoleNote>}
        </Stack>
        <Group gap="xs">
          {state === 'live' && (
            <Button ref={opener} variant="subtle" onClick={open}>
              {text.whatNow}
            </Button>
          )}
          {may && <Publish read={of} onPublished={() => afterClosing(open)} />}
        </Group>
      </Group>
      <WhatNow campaignId={id} name={name} opened={isOpen} onClose={closeWhatNow} />
    </Stack>
  )
}

type Step = keyof (typeof words)['en']['nextSteps']

/** What a campaign lacks, the first thing first; null where people have the offer and the widget shows it. */
function nextStepOf({ settings, state, isArchived, isSeen, hasLeads }: Whole, countdownTools: boolean): Step | null {
  const { deadline, endsAt } = settings.mechanism
  if (isArchived) return 'archived'
  if (state === 'ended') return 'over'
  if (deadline.kind === 'none' && endsAt === undefined) return 'deadline'
  if (!settings.pages.some(({ eligible }) => eligible)) return 'page'
  if (state === 'draft') return 'publish'
  // Without the tools no widget is seen, wherever it stands.
  if (!isSeen && countdownTools) return 'snippet'
  return hasLeads ? null : 'lead'
}

const partOf: Record<Step, string> = {
  ...{ archived: '/rules', deadline: '/rules', over: '/rules', publish: '/rules' },
  ...{ page: '/pages', snippet: '/pages', lead: '/leads' },
}

function NextStep({ of }: { of: Whole }) {
  const text = useWords(words)
  const step = nextStepOf(of, useSession().account.countdownTools)
  if (step === null) return null
  const { text: what, link } = text.nextSteps[step]
  return (
    <Text size="sm" c="dimmed">
      {text.next}: {what}{' '}
      {link !== null && (
        <Anchor component={Link} href={`/campaigns/${of.settings.id}${partOf[step]}`} size="sm" underline="always">
          {link}
        </Anchor>
      )}
    </Text>
  )
}
