import { Badge } from '@mantine/core'
import type { AnswerOf } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { words } from './words.ts'

export type Webhooks = AnswerOf<'GET /webhooks'>
export type Webhook = Webhooks['endpoints'][number]

const colours = { on: 'teal', waiting: 'orange', paused: 'gray', gone: 'red', failing: 'red' }

export function StateBadge({ of }: { of: Webhook }) {
  const { states } = useWords(words)
  return (
    <Badge
      color={colours[of.state]}
      variant="outline"
      tt="none"
      h="auto"
      // A long name takes no room from it in a table; in a card of a narrow phone its words may need two lines.
      miw={{ base: 0, md: 'max-content' }}
      styles={{ label: { whiteSpace: 'normal' } }}
    >
      {states[of.state]}
    </Badge>
  )
}
