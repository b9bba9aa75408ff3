import { Anchor, Badge, Center, Group, Loader, Stack, Tabs, Title } from '@mantine/core'
import { type ComponentType, lazy, Suspense, useEffect } from 'react'
import { Link, useLocation, useParams } from 'wouter'
import { useWords } from '../../language.ts'
import { Failure } from '../../parts/failure.tsx'
import { NotFoundScreen } from '../not-found.tsx'
import { useUnsaved } from './rules/unsaved.ts'
import { type Settings, useCampaign, type Whole } from './use-campaign.ts'
import { words } from './words.ts'

export type PartProps = { read: Whole }

/** The parts of a campaign by their name in the address. */
const parts = {
  rules: lazy(() => import('./rules/rules.tsx')),
  pages: lazy(() => import('./pages/pages.tsx')),
  timer: lazy(() => import('./timer/timer.tsx')),
  leads: lazy(() => import('./leads/leads.tsx')),
} satisfies Record<string, ComponentType<PartProps>>

/** One campaign: its name and state, and one of its parts. */
export default function CampaignScreen() {
  const text = useWords(words)
  const { part = 'rules', ref } = useParams<{ part?: string; ref?: string }>()
  const isPlace = Object.hasOwn(parts, part) && (ref === undefined || part === 'leads')
  const campaign = useCampaign()
  const name = campaign.data?.settings.name
  useEffect(() => {
    if (name !== undefined) document.title = `${name} – Lastcall`
  }, [name])
  if (campaign.error?.code === 'NOT_FOUND' || !isPlace) return <NotFoundScreen />
  if (campaign.isError) return <Failure of={campaign} />
  if (campaign.isPending) return <Waiting />
  const Part = parts[part as keyof typeof parts]
  return (
    <Stack gap="lg">
      <Stack gap={4}>
        <Anchor component={Link} href="/campaigns" size="sm">
          ← {text.back}
        </Anchor>
        <Heading settings={campaign.data.settings} />
      </Stack>
      <PartTabs part={part} campaignId={campaign.data.settings.id} />
      <Suspense fallback={<Waiting />}>
        <Part key={part} read={campaign.data} />
      </Suspense>
    </Stack>
  )
}

function Heading({ settings }: { settings: Settings }) {
  const text = useWords(words)
  return (
    <Group gap="sm">
      <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
        {settings.name}
      </Title>
      <Badge color={settings.isDraft ? 'gray' : 'teal'} variant="outline" size="lg">
        {settings.isDraft ? text.draft : text.published}
      </Badge>
    </Group>
  )
}

function PartTabs({ part, campaignId }: { part: string; campaignId: number }) {
  const text = useWords(words)
  const [, go] = useLocation()
  const isUnsaved = useUnsaved(campaignId) !== undefined
  const open = (next: string | null) =>
    go(`/campaigns/${campaignId}${next === null || next === 'rules' ? '' : `/${next}`}`)
  return (
    <Tabs value={part} onChange={open}>
      <Tabs.List aria-label={text.parts}>
        {(Object.keys(parts) as (keyof typeof parts)[]).map((name) => (
          <Tabs.Tab key={name} value={name}>
            {text[name]}
            {name === 'rules' && isUnsaved && text.unsaved}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  )
}

function Waiting() {
  return (
    <Center mih={240} role="status" aria-label="…">
      <Loader />
    </Center>
  )
}
