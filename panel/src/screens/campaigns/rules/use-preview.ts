import { useDebouncedValue } from '@mantine/hooks'
import { useAsk } from '../../../api.ts'
import type { Settings } from '../use-campaign.ts'

/** What the preview takes for granted: a moment of one's own or '', and when a first visit comes. */
export type Supposed = { own: string; visitAfter: string }

export type Foretelling = ReturnType<typeof usePreview>

const isWhole = (period: string) => /\d/.test(period)

/** Asks what the settings would do, a moment after somebody stopped typing. */
export function usePreview(settings: Settings, supposed: Supposed) {
  const { own, visitAfter } = supposed
  const body = JSON.stringify({
    settings,
    own: /^20\d\d-/.test(own) ? own : null,
    visitAfter: isWhole(visitAfter) ? visitAfter : 'PT1H',
  })
  const [asked] = useDebouncedValue(body, 300)
  const options = { staleMs: 30_000, keepsPrevious: true }
  const { data: answer, error, isFetching } = useAsk('POST /preview', { body: JSON.parse(asked) }, options)
  const timeZone = answer?.timeZone ?? settings.timeZone
  return { answer, timeZone, error, isBusy: isFetching || asked !== body }
}
