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
    <Badge color={colours[of.state]} variant="outline" tt="none" h="auto" style={{ whiteSpace: 'normal' }}>
      {states[of.state]}
    </Badge>
  )
}
