import {
  type InfiniteData,
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { type AnswerOf, type AskedOf, type CallFailed, call, keyOf, type RouteName } from '../../../api.ts'

const search = 'POST /campaigns/:campaignId/leads/search'

export type Step = AnswerOf<typeof search>
export type Lead = Step['leads'][number]
export type State = Lead['state']
export type Filter = { prefix: string; state: State | null }

/** Leads that are shown before somebody asks for more. */
const pageSize = 50

/**
 * The leads of a campaign that fit, as far as they were asked for. Where a state is asked for the service looks
 * through so many at a time, and is asked again until there is a page of them, or somebody stops it.
 */
export function useLeads(campaignId: number, filter: Filter) {
  const { prefix, state } = filter
  const [wanted, setWanted] = useState(pageSize)
  const [isStopped, setStopped] = useState(false)
  const query = useInfiniteQuery<Step, CallFailed, InfiniteData<Step, string>, unknown[], string>({
    queryKey: [search, campaignId, prefix, state],
    queryFn: ({ pageParam, signal }) => {
      const body = { prefix, state, afterEmail: pageParam, limit: pageSize, withLinks: false }
      return call(search, { params: { campaignId }, body }, signal)
    },
    initialPageParam: '',
    getNextPageParam: ({ afterEmail }) => afterEmail ?? undefined,
    placeholderData: keepPreviousData,
    // Thousands of leads may have been looked through: nothing but a change begins that anew.
    ...{ staleTime: Number.POSITIVE_INFINITY, gcTime: 0, refetchOnWindowFocus: false },
  })
  const steps = query.data?.pages ?? []
  const leads = steps.flatMap((step) => step.leads)
  const { hasNextPage, isFetching, isError, isPlaceholderData, fetchNextPage } = query
  const goesOn = hasNextPage && !isFetching && !isError && !isPlaceholderData && !isStopped && leads.length < wanted
  useEffect(() => {
    if (goesOn) fetchNextPage()
  }, [goesOn, fetchNextPage])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another search begins with its first page
  useEffect(() => {
    setWanted(pageSize)
    setStopped(false)
  }, [campaignId, prefix, state])
  return {
    leads,
    read: steps.reduce((sum, step) => sum + step.read, 0),
    readUpTo: steps.at(-1)?.afterEmail ?? null,
    isPending: query.isPending,
    isLooking: !isStopped && (isFetching || goesOn),
    isOld: isPlaceholderData,
    isStopped,
    hasMore: hasNextPage,
    failed: { error: query.error, refetch: () => (leads.length > 0 ? fetchNextPage() : query.refetch()) },
    more() {
      setStopped(false)
      setWanted(leads.length < wanted ? wanted : leads.length + pageSize)
    },
    stop: () => setStopped(true),
  }
}

/** Changes one lead or makes some; the list keeps its place where it can. */
export function useLeadChange<Name extends RouteName>(
  name: Name,
  campaignId: number,
  change?: (leads: Lead[], answer: AnswerOf<Name>) => Lead[],
) {
  const client = useQueryClient()
  return useMutation<AnswerOf<Name>, CallFailed, AskedOf<Name>>({
    mutationFn: (asked) => call(name, asked),
    async onSuccess(answer) {
      const key = [search, campaignId]
      client.removeQueries({ queryKey: key, type: 'inactive' })
      if (change === undefined) return client.resetQueries({ queryKey: key })
      client.setQueriesData<InfiniteData<Step, string>>({ queryKey: key }, (data) =>
        data === undefined
          ? data
          : { ...data, pages: data.pages.map((step) => ({ ...step, leads: change(step.leads, answer) })) },
      )
    },
  })
}

export const leadKey = (campaignId: number, ref: string) =>
  keyOf('GET /campaigns/:campaignId/leads/:ref', { params: { campaignId, ref } })

/** After many leads were made at once. */
export function useLeadsAnew(campaignId: number): () => Promise<void> {
  const client = useQueryClient()
  return () => client.resetQueries({ queryKey: [search, campaignId] })
}
