import { Badge, Text } from '@mantine/core'
import type { AnswerOf } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { TimesIn } from '../../../parts/time-text.tsx'
import { words } from './words.ts'

export type Webhooks = AnswerOf<'GET /webhooks'>
export type Webhook = Webhooks['endpoints'][number]

/** Where several have one name, with the id. */
export function labelOf({ id, name }: Webhooks['campaigns'][number], all: Webhooks['campaigns']): string {
  return all.some((other) => other.name === name && other.id !== id) ? `${name} (Id ${id})` : name
}

/** For a list to choose from. */
export const optionsOf = (campaigns: Webhooks['campaigns']) =>
  campaigns.map((one) => ({ value: String(one.id), label: labelOf(one, campaigns) }))

/** Nothing is sent to it until somebody resumes it. */
export const isPaused = ({ state }: Webhook) => state !== 'on' && state !== 'waiting'

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

/** Since when its server takes nothing, and when it is asked again. */
export function Trouble({ of: { state, failingSince, nextTryAt } }: { of: Webhook }) {
  const text = useWords(words)
  if (failingSince === null || state === 'paused') return null
  const instants = state === 'waiting' && nextTryAt !== null ? [failingSince, nextTryAt] : [failingSince]
  return (
    <Text size="xs" c="dimmed">
      <TimesIn
        at={instants.map((instant) => Date.parse(instant) / 1_000)}
        say={(since = '', next) => text.fails(since, next)}
        withSeconds
      />
    </Text>
  )
}
