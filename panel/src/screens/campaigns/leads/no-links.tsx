import { Alert, Text } from '@mantine/core'
import { useWords } from '../../../language.ts'
import { useMay, useSession } from '../../../session.ts'
import type { Settings } from '../use-campaign.ts'
import { words } from './words.ts'

/** Says why leads have no link or no countdown now, before a file of them empties these fields in a mail service. */
export function NoLinks({ settings }: { settings: Settings }) {
  const text = useWords(words)
  const may = useMay('member')
  const { countdownTools } = useSession().account
  const missing = missingIn(settings, countdownTools)
  if (missing.length === 0) return null
  return (
    <Alert color="orange" variant="outline" role="note">
      {missing.map((what) => (
        <Text key={what} size="sm">
          {text.warnings[what]} {may && what === 'NO_OFFER_PAGES' && text.todo[what]}
        </Text>
      ))}
      <Text size="sm">{text.exportEmpties}</Text>
    </Alert>
  )
}

function missingIn({ isDraft, pages, mailTimer }: Settings, countdownTools: boolean) {
  if (isDraft) return ['CAMPAIGN_NOT_PUBLISHED'] as const
  if (!countdownTools) return ['COUNTDOWN_TOOLS_UNAVAILABLE'] as const
  const hasLink = pages.some(({ eligible }) => eligible)
  return [...(hasLink ? [] : (['NO_OFFER_PAGES'] as const)), ...(mailTimer ? [] : (['NO_MAIL_TIMER'] as const))]
}
