import { Stack } from '@mantine/core'
import { type ComponentType, lazy } from 'react'
import { useParams } from 'wouter'
import { useWords } from '../../language.ts'
import { Failure } from '../../parts/failure.tsx'
import { Loaded, Waiting } from '../../parts/loaded.tsx'
import { PartTabs } from '../../parts/part-tabs.tsx'
import { useWindowTitle } from '../../parts/screen.tsx'
import { NotFoundScreen } from '../not-found.tsx'
import { CampaignHeader } from './header.tsx'
import { LeaveDialog } from './leave-dialog.tsx'
import { type EditedPart, useUnsaved } from './unsaved.ts'
import { type PartProps, type Settings, useCampaign } from './use-campaign.ts'
import { words } from './words.ts'

/** The parts of a campaign by their name in the address. */
const parts = {
  results: lazy(() => import('./results/results.tsx')),
  rules: lazy(() => import('./rules/rules.tsx')),
  pages: lazy(() => import('./pages/pages.tsx')),
  timer: lazy(() => import('./timer/timer.tsx')),
  leads: lazy(() => import('./leads/leads.tsx')),
} satisfies Record<string, ComponentType<PartProps>>
type PartName = keyof typeof parts

/** One campaign: its name and state, and one of its parts. */
export default function CampaignScreen() {
  const { part = 'results', ref } = useParams<{ part?: string; ref?: string }>()
  const isPlace = Object.hasOwn(parts, part) && (ref === undefined || part === 'leads')
  const campaign = useCampaign()
  if (campaign.error?.code === 'NOT_FOUND' || !isPlace) return <NotFoundScreen />
  if (campaign.isLoadingError) return <Failure of={campaign} />
  if (campaign.isPending) return <Waiting />
  const Part = parts[part as PartName]
  return (
    // Of another campaign, to which the browser may go back at once, nothing is selected, searched for or asked.
    <Stack key={campaign.data.settings.id} gap="lg">
      <CampaignHeader of={campaign.data} />
      <CampaignTabs part={part as PartName} settings={campaign.data.settings} />
      <Loaded>
        <Part key={part} read={campaign.data} />
      </Loaded>
      <LeaveDialog campaignId={campaign.data.settings.id} part={part} />
    </Stack>
  )
}

function CampaignTabs({ part, settings }: { part: PartName; settings: Settings }) {
  const text = useWords(words)
  const { id: campaignId, name } = settings
  useWindowTitle(text[part], name)
  const tabs = (Object.keys(parts) as PartName[]).map((one) => ({
    name: one,
    path: `/campaigns/${campaignId}${one === 'results' ? '' : `/${one}`}`,
    title: (
      <>
        {text[one]}
        {one !== 'results' && one !== 'leads' && <UnsavedMark campaignId={campaignId} part={one} />}
      </>
    ),
  }))
  return <PartTabs label={text.parts} value={part} tabs={tabs} />
}

function UnsavedMark({ campaignId, part }: { campaignId: number; part: EditedPart }) {
  const text = useWords(words)
  return useUnsaved(campaignId, part) === undefined ? null : text.unsaved
}
