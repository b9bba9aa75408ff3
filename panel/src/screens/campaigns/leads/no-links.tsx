import { Alert } from '@mantine/core'
import { useWords } from '../../../language.ts'
import { useSession } from '../../../session.ts'
import { words } from './words.ts'

/** Says why no lead has a link or a countdown now, before a file of them empties these fields in a mail service. */
export function NoLinks({ isDraft }: { isDraft: boolean }) {
  const text = useWords(words)
  const { countdownTools } = useSession().account
  if (!isDraft && countdownTools) return null
  return (
    <Alert color="orange" variant="outline" role="note">
      {text.warnings[isDraft ? 'CAMPAIGN_NOT_PUBLISHED' : 'COUNTDOWN_TOOLS_UNAVAILABLE']} {text.exportEmpties}
    </Alert>
  )
}
