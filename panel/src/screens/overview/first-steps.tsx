import { Anchor, Button, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import { Link } from 'wouter'
import type { AnswerOf } from '../../api.ts'
import { useWords } from '../../language.ts'
import { HelpLink } from '../../parts/help.tsx'
import type { Topic } from '../../parts/help-topic.ts'
import { RoleNote } from '../../parts/role-note.tsx'
import { useMay, useSession } from '../../session.ts'
import { words } from './first-steps-words.ts'

/** Loaded when it is first opened: the first screen is light. */
const NewCampaign = lazy(async () => ({
  default: (await import('../campaigns/list/new-campaign.tsx')).NewCampaign,
}))

type Steps = AnswerOf<'GET /first-steps'>

const names = ['campaign', 'page', 'publish', 'snippet', 'lead'] as const
type Name = (typeof names)[number]

const topics: Record<Name, Topic> = {
  ...{ campaign: 'campaigns', page: 'pages', publish: 'rules', snippet: 'pages', lead: 'leads' },
}
const parts: Record<Exclude<Name, 'campaign'>, string> = {
  ...{ page: '/pages', publish: '/rules', snippet: '/pages', lead: '/leads' },
}

/** The way to a live campaign with a lead; again, if the last of them is archived or deleted. */
export function FirstSteps({ campaign }: Pick<Steps, 'campaign'>) {
  const text = useWords(words)
  const may = useMay('member')
  const { suspended } = useSession().account
  // It stays once it was opened: closing gives the focus back.
  const [isNew, setNew] = useState<boolean>()
  const settings = campaign?.settings
  const isDone: Record<Name, boolean> = {
    campaign: campaign !== null,
    page: settings?.pages.some(({ eligible }) => eligible) === true,
    publish: settings?.isDraft === false,
    snippet: campaign?.isSeen === true,
    lead: campaign?.hasLeads === true,
  }
  const next = names.find((name) => !isDone[name])
  const button = (name: Name): ReactNode => {
    const look = { size: 'xs', variant: name === next ? 'filled' : 'default' } as const
    if (name === 'campaign') {
      return (
        <Button {...look} disabled={suspended} onClick={() => setNew(true)}>
          {text.steps.campaign.button}
        </Button>
      )
    }
    if (settings === undefined) return null
    return (
      <Button {...look} component={Link} href={`/campaigns/${settings.id}${parts[name]}`}>
        {text.steps[name].button}
      </Button>
    )
  }
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4">
        {text.title}
      </Title>
      {settings !== undefined && (
        <Text size="sm">
          {text.of}{' '}
          <Anchor
            component={Link}
            href={`/campaigns/${settings.id}`}
            underline="always"
            style={{ overflowWrap: 'anywhere' }}
          >
            {settings.name}
          </Anchor>
        </Text>
      )}
      <RoleNote needed="member">{text.onlyMembers}</RoleNote>
      <Stack component="ol" gap="md" p={0} m={0} mt="md" style={{ listStyle: 'none' }}>
        {names.map((name, index) => (
          <Step key={name} name={name} number={index + 1} isDone={isDone[name]}>
            {!isDone[name] && may && button(name)}
          </Step>
        ))}
      </Stack>
      {isNew !== undefined && (
        <Suspense fallback={null}>
          <NewCampaign opened={isNew} onClose={() => setNew(false)} />
        </Suspense>
      )}
    </Paper>
  )
}

type StepProps = { name: Name; number: number; isDone: boolean; children: ReactNode }

function Step({ name, number, isDone, children }: StepProps) {
  const text = useWords(words)
  const { title, what } = text.steps[name]
  return (
    <Group
      component="li"
      align="start"
      wrap="nowrap"
      gap="sm"
      aria-label={`${title}: ${isDone ? text.done : text.open}`}
    >
      <ThemeIcon
        radius="xl"
        size="md"
        color={isDone ? 'teal' : 'gray'}
        variant={isDone ? 'filled' : 'default'}
        aria-hidden
      >
        {isDone ? '✓' : number}
      </ThemeIcon>
      <Stack gap={4} flex={1} align="start">
        <Text fw={600}>{title}</Text>
        {!isDone && <Text size="sm">{what}</Text>}
        <Group gap="md">
          {children}
          <HelpLink topic={topics[name]} about={title} />
        </Group>
      </Stack>
    </Group>
  )
}
