import { Badge, type BadgeProps } from '@mantine/core'
import type { CampaignState } from '../../../../src/http/panel/campaigns.ts'
import { useWords } from '../../language.ts'
import { words } from './words.ts'

const colours: Record<CampaignState, string> = { draft: 'gray', live: 'teal', ended: 'orange' }

export function CampaignBadge({ state, ...props }: { state: CampaignState } & Pick<BadgeProps, 'size'>) {
  const { states } = useWords(words)
  return (
    <Badge color={colours[state]} variant="outline" {...props}>
      {states[state]}
    </Badge>
  )
}
