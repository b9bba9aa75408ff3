import {
  type InfiniteData,
  keepPreviousData,
  type QueryClient,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type AnswerOf, type AskedOf, type CallFailed, call, type RouteName, useOnce } from '../../../api.ts'
import { useMay } from '../../../session.ts'

const search = 'POST /campaigns/:campaignId/leads/search'
const states = 'GET /campaigns/:campaignId/leads/states'

export type Step = AnswerOf<typeof search>
export type Lead = Step['leads'][number]
export type State = Lead['state']
export const sorts = ['email', 'deadline', '-deadline'] as const
export type Sort = (typeof sorts)[number]
/** Those that begin with `prefix`, or have `part` anywhere in their address. */
export type Filter = {
  prefix: string
  part: string
  state: State | null
  sort: Sort
  /** Only these, whatever else is said. */
  refs?: string[]
}

/** Whether the service looks through leads that may not fit, so many at a time. */
export const isInSteps = ({ part, state }: Filter) => part !== '' || state !== null
/** Whether it leaves leads out. */
export const isNarrow = (filter: Filter) => filter.prefix !== '' || isInSteps(filter)

/** Leads of one page. */
export const pageSize = 50
const mostAtOnce = 1_000
const staleMs = 10_000
/** Steps that are read again, one after the other, while the reader waits for the next page. */
const mostReadAgain = 10
const isShort = ({ state: { data } }: { state: { data?: InfiniteData<Step> | undefined } }) =>
  data === undefined || data.pages.length <= mostReadAgain

type Place = { afterEmail: string; afterDeadline: Step['afterDeadline']; limit: number }

/**
 * A page of the leads of a campaign that fit. Where a state or a part of an address is asked for, the service looks
 * through so many at a time, and is asked again until the page is full, or somebody stops it.
 */
export function useLeads(campaignId: number, filter: Filter, page: number) {
  const [isStopped, setStopped] = useState(false)
  const wanted = page * pageSize
  // Beyond it by one, which tells that there is another page.
  const most = useMay('member') ? mostAtOnce : pageSize + 1
  const firstWanted = useRef(wanted + 1).current
  const query = useInfiniteQuery<Step, CallFailed, InfiniteData<Step, Place>, unknown[], Place>({
    // A reader who is made a viewer begins again: read again, each step would have the limit that it had.
    queryKey: [search, campaignId, filter, most],
    queryFn: ({ pageParam, signal }) => {
      const body = { ...filter, ...pageParam }
      return call(search, { params: { campaignId }, body }, signal)
    },
    initialPageParam: { afterEmail: '', afterDeadline: null, limit: Math.min(most, firstWanted) },
    getNextPageParam: ({ afterEmail, afterDeadline }, steps) => {
      if (afterEmail === null) return undefined
      const missing = wanted + 1 - steps.reduce((sum, step) => sum + step.leads.length, 0)
      return { afterEmail, afterDeadline, limit: Math.max(pageSize, Math.min(most, missing)) }
    },
    placeholderData: keepPreviousData,
    // Who comes back sees what is true by now. But thousands of leads may have been looked through: nothing but a
    // change begins that again.
    ...{ staleTime: isInSteps(filter) ? Number.POSITIVE_INFINITY : staleMs, gcTime: 0 },
    ...{ refetchOnWindowFocus: isShort, refetchOnReconnect: isShort },
  })
  const steps = query.data?.pages ?? []
  const found = steps.flatMap((step) => step.leads)
  const { hasNextPage, isFetching, isError, isPlaceholderData, isFetchNextPageError, fetchNextPage } = query
  const goesOn = hasNextPage && !isFetching && !isError && !isPlaceholderData && !isStopped && found.length <= wanted
  useEffect(() => {
    if (goesOn) fetchNextPage()
  }, [goesOn, fetchNextPage])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another search begins with its first page
  useEffect(() => setStopped(false), [campaignId, JSON.stringify(filter), page])
  useEffect(() => {
    // A change has begun the list again.
    if (query.isPending) setStopped(false)
  }, [query.isPending])
  return {
    leads: found.slice(wanted - pageSize, wanted),
    foundCount: found.length,
    read: steps.reduce((sum, step) => sum + step.read, 0),
    readUpTo: steps.at(-1)?.afterEmail ?? null,
    isPending: query.isPending,
    isLooking: !isStopped && (isFetching || goesOn),
    isOld: isPlaceholderData,
    isStopped,
    hasMore: hasNextPage,
    hasNextPage: found.length > wanted,
    failed: { error: query.error, refetch: () => (isFetchNextPageError ? fetchNextPage() : query.refetch()) },
    goOn: () => setStopped(false),
    stop: () => setStopped(true),
  }
}

/**
 * Changes leads or makes some; the list keeps its place where it can. `change` makes the rows from the answer; where that
 * does not have them, the list begins again, and only its first step is waited for: there may be thousands.
 */
export function useLeadChange<Name extends RouteName>(
  name: Name,
  campaignId: number,
  change?: (leads: Lead[], answer: AnswerOf<Name>) => Lead[],
) {
  const client = useQueryClient()
  return useMutation<AnswerOf<Name>, CallFailed, AskedOf<Name>>({
    mutationFn: useOnce(name),
    async onSuccess(answer) {
      const key = [search, campaignId]
      client.removeQueries({ queryKey: key, type: 'inactive' })
      if (change === undefined) return client.resetQueries({ queryKey: key })
      client.setQueriesData<InfiniteData<Step, Place>>({ queryKey: key }, (data) =>
        data === undefined
          ? data
          : { ...data, pages: data.pages.map((step) => ({ ...step, leads: change(step.leads, answer) })) },
      )
    },
    onError({ code }) {
      if (code === 'LOST') client.invalidateQueries({ queryKey: [search, campaignId] })
    },
    onSettled: (_answer, error) => {
      const counted = restAgain(client)
      // Not waited for after a failure: a count that hangs would keep that from being told.
      return error === null ? counted : undefined
    },
  })
}

/** All but the list, which has its own ways. Only how many leads there are, above it, is waited for. */
async function restAgain(client: QueryClient): Promise<void> {
  client.invalidateQueries({ predicate: ({ queryKey: [name] }) => name !== search && name !== states })
  await client.invalidateQueries({ queryKey: [states] })
}

/** After many leads were made at once. */
export function useLeadsAgain(campaignId: number): () => Promise<void> {
  const client = useQueryClient()
  return async () => {
    await Promise.all([client.resetQueries({ queryKey: [search, campaignId] }), restAgain(client)])
  }
}
