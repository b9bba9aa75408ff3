// The history as the service reads it: in steps, each asked for where the one before says that there is more.
import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type AnswerOf, type CallFailed, call } from '../../../api.ts'
import { queryOf, type Wanted } from './wanted.ts'

type Page = AnswerOf<'GET /history'>
type Counts = AnswerOf<'GET /history/counts'>
export type Entry = Page['entries'][number]
export type Bar = Counts['bars'][number]

/** Entries that are shown at first, and more with each asking. */
const portion = 50
/** Steps in search of them after which the reader says whether to go on. */
const mostSteps = 20
const newsEveryMs = 5_000

/** What was read stays as it is: nothing moves beneath the reader. */
const still = {
  staleTime: Number.POSITIVE_INFINITY,
  gcTime: 0,
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
} as const

const listKey = (wanted: Wanted) => ['GET /history', wanted]
const countsKey = (wanted: Wanted) => ['GET /history/counts', wanted]

/** The entries, newest first, as far as they were asked for. */
export function useEntries(wanted: Wanted) {
  const query = useInfiniteQuery<Page, CallFailed, { pages: Page[] }, unknown[], string | undefined>({
    queryKey: listKey(wanted),
    queryFn: ({ pageParam, signal }) =>
      call(
        'GET /history',
        { query: { ...queryOf(wanted), limit: '50', ...(pageParam !== undefined && { before: pageParam }) } },
        signal,
      ),
    initialPageParam: undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    ...still,
  })
  const [asked, setAsked] = useState({ entries: portion, steps: mostSteps })
  const pages = query.data?.pages ?? []
  const entries = pages.flatMap((page) => page.entries)
  const { hasNextPage, isFetching, isError, fetchNextPage } = query
  const goesOn = hasNextPage && entries.length < asked.entries && pages.length < asked.steps
  useEffect(() => {
    if (goesOn && !isFetching && !isError) fetchNextPage()
  }, [goesOn, isFetching, isError, fetchNextPage])
  return {
    query,
    entries,
    head: pages[0]?.head,
    readToMs: pages.at(-1)?.readToMs ?? null,
    isReading: isFetching || (goesOn && !isError),
    hasMore: hasNextPage,
    isFull: entries.length >= asked.entries,
    showMore: () => setAsked({ entries: entries.length + portion, steps: pages.length + mostSteps }),
  }
}

/** Adds up the steps, and goes on until all is counted. */
export function useCounts(wanted: Wanted) {
  type Position = { from: string; to: string; before: string } | undefined
  const query = useInfiniteQuery<Counts, CallFailed, { pages: Counts[] }, unknown[], Position>({
    queryKey: countsKey(wanted),
    queryFn: ({ pageParam, signal }) =>
      call('GET /history/counts', { query: { ...queryOf(wanted), ...pageParam } }, signal),
    initialPageParam: undefined,
    // The times stay those of the first step, which had a now of its own.
    getNextPageParam: ({ next, fromMs, toMs }) =>
      next === null ? undefined : { from: String(fromMs), to: String(toMs), before: next },
    ...still,
  })
  const { hasNextPage, isFetching, isError, fetchNextPage, data } = query
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) fetchNextPage()
  }, [hasNextPage, isFetching, isError, fetchNextPage])
  const pages = data?.pages ?? []
  return { query, first: pages[0], bars: added(pages), readToMs: pages.at(-1)?.readToMs ?? null }
}

function added(pages: Counts[]): Map<number, Bar> {
  const bars = new Map<number, Bar>()
  for (const bar of pages.flatMap((page) => page.bars)) {
    const known = bars.get(bar.at)
    bars.set(bar.at, {
      at: bar.at,
      succeeded: bar.succeeded + (known?.succeeded ?? 0),
      refused: bar.refused + (known?.refused ?? 0),
      failed: bar.failed + (known?.failed ?? 0),
    })
  }
  return bars
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
    initialDataUpdatedAt: 0,
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
        client.resetQueries({ queryKey: listKey(wanted) }),
        client.resetQueries({ queryKey: countsKey(wanted) }),
      ]),
  }
}
