// The history as the screen reads it: the list page by page, the chart at once.
import { keepPreviousData, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { type AnswerOf, type CallFailed, call, keyOf, usePages } from '../../../api.ts'
import { queryOf, type Wanted } from './wanted.ts'

type Page = AnswerOf<'GET /history'>
export type Counts = AnswerOf<'GET /history/counts'>
export type Entry = Page['entries'][number]
export type Bar = Counts['bars'][number]

const newsEveryMs = 5_000

/** What was read stays as it is: nothing moves beneath the reader. */
const still = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const

const listOf = (wanted: Wanted) => (place: { before?: string }) => ({
  query: { ...queryOf(wanted), limit: '50' as const, ...place },
})
const countsKey = (wanted: Wanted) => ['GET /history/counts', wanted]

/** The entries, newest first, as far as they were asked for. */
export function useEntries(wanted: Wanted) {
  return usePages('GET /history', listOf(wanted), still)
}

export function useCounts(wanted: Wanted): UseQueryResult<Counts, CallFailed> {
  return useQuery({
    queryKey: countsKey(wanted),
    queryFn: ({ signal }) => call('GET /history/counts', { query: queryOf(wanted) }, signal),
    ...still,
    // The button that was pressed stays, and the focus on it.
    placeholderData: keepPreviousData,
  })
}

/** What has come since the list was read; told, and shown when the reader wants it. */
export function useNews(wanted: Wanted, head: string | undefined) {
  const client = useQueryClient()
  const isOpen = head !== undefined && wanted.span.to === undefined
  const { data } = useQuery<Page, CallFailed>({
    queryKey: ['GET /history', 'news', wanted, head],
    queryFn: ({ signal }) =>
      call('GET /history', { query: { ...queryOf(wanted), limit: '50', after: head as string } }, signal),
    enabled: isOpen,
    refetchInterval: newsEveryMs,
    staleTime: newsEveryMs,
    gcTime: 0,
    retry: false,
  })
  const count = isOpen ? (data?.entries.length ?? 0) : 0
  return {
    count,
    isMore: count > 0 && data?.next !== null,
    show: () =>
      Promise.all([
        client.resetQueries({ queryKey: keyOf('GET /history', listOf(wanted)({})) }),
        client.resetQueries({ queryKey: countsKey(wanted) }),
      ]),
  }
}
