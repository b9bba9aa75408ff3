import { Button, Group, Text } from '@mantine/core'
import { useAsk } from '../../../api.ts'
import { useLanguage, useWords } from '../../../language.ts'
import { Failure } from '../../../parts/failure.tsx'
import type { Settings } from '../use-campaign.ts'
import type { State } from './use-leads.ts'
import { states } from './wanted.ts'
import { numberText, words } from './words.ts'

type Props = { settings: Settings; state: State | null; onState(state: State | null): void }

/** How many leads there are, and in which state; pressed, a state shows its leads alone. */
export function Totals({ settings, state, onState }: Props) {
  const text = useWords(words)
  const language = useLanguage()
  const params = { campaignId: settings.id }
  const { data, ...asked } = useAsk('GET /campaigns/:campaignId/leads/states', { params }, { staleMs: 10_000 })
  const isKnown = data !== undefined || asked.isError
  /** In the counts of the other states, leads whose offer comes again are missing. */
  const isWhole = (one: State) => one === 'pending' || data?.states.cycle === 0
  const number = (count: number) => `${numberText(language, count)}${data?.isAll === false ? '+' : ''}`
  return (
    <>
      {data === undefined && <Failure of={asked} />}
      {/* As high as it will be, before the service has answered. */}
      <Group gap="xs" mih={30} role="group" aria-label={text.totals}>
        {data !== undefined && (
          <Text size="sm" fw={600}>
            {text.total(number(data.total), data.total)}
          </Text>
        )}
        {isKnown &&
          states.map((one) => (
            <Button
              key={one}
              size="compact-sm"
              variant={one === state ? 'filled' : 'default'}
              aria-pressed={one === state}
              onClick={() => onState(one === state ? null : one)}
            >
              {text.states[one]}
              {data !== undefined && isWhole(one) && `: ${number(data.states[one])}`}
            </Button>
          ))}
        {data !== undefined && data.states.cycle > 0 && (
          <Text size="sm" c="dimmed">
            {text.cycling(number(data.states.cycle))}
          </Text>
        )}
      </Group>
    </>
  )
}
