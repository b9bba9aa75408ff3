import { Box, Group, Stack, Text } from '@mantine/core'
import type { AnswerOf } from '../../../api.ts'
import { useLanguage, useWords } from '../../../language.ts'
import { Trend } from '../../../parts/figure.tsx'
import { shareText } from '../../../parts/percent.ts'
import { words } from './words.ts'

export type Results = AnswerOf<'GET /campaigns/:campaignId/results'>

export const steps = ['signedUp', 'started', 'clicked'] as const

/** How far the people came who signed up. */
export function Funnel({ totals, before }: Pick<Results, 'totals' | 'before'>) {
  const text = useWords(words)
  const language = useLanguage()
  const number = new Intl.NumberFormat(language)
  const share = (step: (typeof steps)[number]) => (totals.signedUp === 0 ? 0 : totals[step] / totals.signedUp)
  return (
    <Stack component="ol" gap="sm" m={0} p={0} style={{ listStyle: 'none' }}>
      {steps.map((step) => (
        <li key={step}>
          <Group justify="space-between" gap="xs">
            <Text size="sm">
              {text.steps[step]} <b>{number.format(totals[step])}</b>
              {step !== 'signedUp' && totals.signedUp > 0 && ` · ${text.ofAll(shareText(share(step), language))}`}
            </Text>
            <Text size="xs" c="dimmed">
              <Trend now={totals[step]} before={before[step]} />
            </Text>
          </Group>
          <Box
            className="share"
            h={14}
            bg="var(--mantine-color-default-border)"
            style={{ borderRadius: 4, overflow: 'hidden' }}
          >
            <Box h="100%" w={`${100 * Math.min(1, share(step))}%`} bg="violet.6" />
          </Box>
        </li>
      ))}
    </Stack>
  )
}
