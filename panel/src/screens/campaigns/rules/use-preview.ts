import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type CallFailed, call } from '../../../api.ts'
import type { Settings } from '../use-campaign.ts'
import type { PreviewAnswer } from './lint-words.ts'

/** What the preview takes for granted: a moment of one's own or '', and when a first visit comes. */
export type Supposed = { own: string; visitAfter: string }

export type Foretelling = {
  answer: PreviewAnswer | undefined
  /** Of the answer, which may be behind what is being typed. */
  timeZone: string
  error: CallFailed | null
  isBusy: boolean
}

const isWhole = (period: string) => /\d/.test(period)

/** Asks what the settings would do, a moment after somebody stopped typing. */
export function usePreview(settings: Settings, supposed: Supposed): Foretelling {
  const { own, visitAfter } = supposed
  const body = {
    settings,
    own: /^20\d\d-/.test(own) ? own : null,
    visitAfter: isWhole(visitAfter) ? visitAfter : 'PT1H',
  }
  const [asked] = useDebouncedValue(JSON.stringify(body), 300)
  const query = useQuery<{ answer: PreviewAnswer; timeZone: string }, CallFailed>({
    queryKey: ['preview', asked],
    queryFn: async ({ signal }) => {
      const said: typeof body = JSON.parse(asked)
      const answer = await call('POST /preview', { body: said }, signal)
      return { answer, timeZone: said.settings.timeZone }
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
  return {
    answer: query.data?.answer,
    timeZone: query.data?.timeZone ?? settings.timeZone,
    error: query.error,
    isBusy: query.isFetching || asked !== JSON.stringify(body),
  }
}
