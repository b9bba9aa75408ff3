import {
  keepPreviousData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  type UseMutationResult,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useRef } from 'react'
import type { PanelErrorBody, PanelErrorCode } from '../../src/http/panel/errors.ts'
import type { Asked as AskedOfRoute, ParamsOf } from '../../src/http/panel/route.ts'
import type { Routes } from '../../src/http/panel/routes.ts'
import { signInAgain } from './signing-in.ts'

export type RouteName = keyof Routes & string

type RunOf<Name extends RouteName> = Routes[Name]['run']
type Given<Name extends RouteName> =
  Parameters<RunOf<Name>>[0] extends AskedOfRoute<any, infer Query, infer Body, any>
    ? { query: Query; body: Body }
    : never

export type AnswerOf<Name extends RouteName> = Awaited<ReturnType<RunOf<Name>>>

/** What a route is asked: only the parts that it has. */
export type AskedOf<Name extends RouteName> = (keyof ParamsOf<Name> extends never
  ? unknown
  : { params: ParamsOf<Name> }) &
  (undefined extends Given<Name>['query'] ? unknown : { query: Given<Name>['query'] }) &
  (undefined extends Given<Name>['body'] ? unknown : { body: Given<Name>['body'] })

type FailureCode = PanelErrorCode | 'OFFLINE' | 'LOST'
type Loose = { params?: Record<string, unknown>; query?: Record<string, unknown>; body?: unknown }

/** Sent again after an answer that was lost, these would do it a second time, or be refused since it is done. */
const onceOnly: readonly RouteName[] = [
  'POST /campaigns',
  'POST /campaigns/:campaignId/leads',
  'PUT /campaigns/:campaignId/leads/deadlines',
  'POST /campaigns/:campaignId/test-mail',
  'POST /keys',
  'POST /keys/:keyId/replacement',
  'POST /webhooks',
  'POST /webhooks/:endpointId/secret',
  'POST /webhooks/:endpointId/backfill/:campaignId',
  'POST /webhooks/:endpointId/resend',
  'POST /webhooks/:endpointId/test',
  'POST /invitations',
  'POST /password',
  'POST /factor',
  'POST /factor/off',
  'POST /factor/recovery-codes',
]

/** A network that swallows all would keep a button busy for minutes. */
const timeoutMs = 60_000
/** What is done to many leads at once may take as long as it takes. */
const takesLong = /\/(?:import|trial|export|erasure|resend|deadlines)$/

/** Why the service did not do what it was asked; OFFLINE where it was not reached, LOST where it may have done it. */
export class CallFailed extends Error {
  override name = 'CallFailed'
  readonly code: FailureCode
  readonly faults: PanelErrorBody['faults']
  readonly retryAfterSeconds: number | null
  readonly requestId: string | null

  constructor(body: PanelErrorBody | undefined, without: FailureCode = 'OFFLINE', cause?: Error) {
    super(body?.code ?? without, { cause })
    this.code = body?.code ?? without
    this.faults = body?.faults ?? []
    this.retryAfterSeconds = body?.retryAfterSeconds ?? null
    this.requestId = body?.requestId ?? null
  }
}

let userId: number | undefined

export const askedAs = (): number | undefined => userId

/** In whose name this tab asks: where another tab has signed somebody else in, it is refused, as after a session's end. */
export function askAs(id: number | undefined): void {
  userId = id
}

/**
 * Asks one route of the panel's API. Where the session has ended the reader signs in again, over the screen as it
 * is, and the call is made once more. @throws CallFailed
 */
export async function call<Name extends RouteName>(
  name: Name,
  asked: AskedOf<Name>,
  signal?: AbortSignal,
): Promise<AnswerOf<Name>> {
  try {
    return await request(name, asked as Loose, signal)
  } catch (error) {
    if (!(error instanceof CallFailed) || error.code !== 'SIGNED_OUT') throw error
    if (!(await signInAgain())) throw error
    return request(name, asked as Loose, signal)
  }
}

async function request<Name extends RouteName>(
  name: Name,
  asked: Loose,
  signal?: AbortSignal,
): Promise<AnswerOf<Name>> {
  const [method = '', pattern = ''] = name.split(' ')
  const path = pattern.replace(/:(\w+)/g, (_, param) => encodeURIComponent(String(asked.params?.[param])))
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(asked.query ?? {})) {
    if (value !== undefined) query.set(key, String(value))
  }
  const search = query.size === 0 ? '' : `?${query}`
  const limits = [signal, takesLong.test(pattern) ? undefined : AbortSignal.timeout(timeoutMs)]
  const unreached = (error: Error, otherwise: FailureCode = 'OFFLINE') => {
    if (error.name === 'AbortError') throw error
    throw new CallFailed(undefined, onceOnly.includes(name) ? 'LOST' : otherwise, error)
  }
  const answer = await fetch(new URL(`panel/api${path}${search}`, document.baseURI), {
    method,
    signal: AbortSignal.any(limits.filter((one) => one !== undefined)),
    headers: {
      ...(userId !== undefined && { 'Lastcall-User': String(userId) }),
      ...(asked.body !== undefined && { 'Content-Type': 'application/json' }),
    },
    ...(asked.body !== undefined && { body: JSON.stringify(asked.body) }),
  }).catch((error: Error) => unreached(error))
  const body = await answer.json().catch((error: Error) => {
    // A proxy's own: it limits sign-ins, and its answer is a page or empty.
    if (answer.status === 429 && error.name === 'SyntaxError') return tooManyTries(answer)
    // The page of a proxy, or cut off on the way: every route answers JSON.
    return unreached(error, answer.status >= 500 ? 'SERVICE_UNAVAILABLE' : 'OFFLINE')
  })
  if (answer.ok) return body
  // A commit whose answer the service did not wait for may still be carried out.
  if (body.code === 'SERVICE_UNAVAILABLE' && onceOnly.includes(name)) throw new CallFailed(undefined, 'LOST')
  throw new CallFailed(body)
}

function tooManyTries({ headers }: Response): PanelErrorBody {
  const retryAfterSeconds = Number(headers.get('Retry-After')) || null
  return { code: 'TOO_MANY_TRIES', requestId: '', faults: [], retryAfterSeconds }
}

/** What a route answers, read again when something that it depends on was changed. */
export function useAsk<Name extends RouteName>(
  name: Name,
  asked: AskedOf<Name>,
  options: { enabled?: boolean; staleMs?: number | 'static'; everyMs?: number; keepsPrevious?: boolean } = {},
): UseQueryResult<AnswerOf<Name>, CallFailed> {
  return useQuery({
    queryKey: keyOf(name, asked),
    queryFn: ({ signal }) => call(name, asked, signal),
    enabled: options.enabled ?? true,
    staleTime: options.staleMs ?? 0,
    refetchInterval: options.everyMs ?? false,
    ...(options.keepsPrevious && { placeholderData: keepPreviousData }),
  })
}

type Page = { entries: unknown[]; next: string | null }
type PagedName = { [Name in RouteName]: AnswerOf<Name> extends Page ? Name : never }[RouteName]
type PagesOf<Of> = UseInfiniteQueryOptions<Of, CallFailed, { pages: Of[] }, QueryKey, string | undefined>

/** A list whose pages begin each where the one before ends, as far as it was asked for. */
export function usePages<Name extends PagedName>(
  name: Name,
  asked: (place: { before?: string }) => AskedOf<Name>,
  options: Partial<PagesOf<AnswerOf<Name>>> = {},
) {
  const of: PagesOf<AnswerOf<Name>> = {
    queryKey: keyOf(name, asked({})),
    queryFn: ({ pageParam, signal }) => call(name, asked(pageParam === undefined ? {} : { before: pageParam }), signal),
    initialPageParam: undefined,
    getNextPageParam: (page: Page) => page.next ?? undefined,
  }
  return useInfiniteQuery({ ...of, ...options })
}

export function keyOf<Name extends RouteName>(name: Name, asked?: AskedOf<Name>): QueryKey {
  return asked === undefined ? [name] : [name, asked]
}

/** Two clicks in one instant come before the button is drawn as busy: they are one request. */
export function useOnce<Name extends RouteName>(name: Name): (asked: AskedOf<Name>) => Promise<AnswerOf<Name>> {
  const sending = useRef(new Map<string, Promise<AnswerOf<Name>>>()).current
  return (asked) => {
    const key = JSON.stringify(asked)
    const sent = sending.get(key) ?? call(name, asked).finally(() => sending.delete(key))
    sending.set(key, sent)
    return sent
  }
}

/** Changes something by a route; then everything that the screens have asked is read again. */
export function useSend<Name extends RouteName>(name: Name): Sending<Name> {
  const client = useQueryClient()
  return useMutation({
    mutationFn: useOnce(name),
    onSuccess: () => client.invalidateQueries(),
    // Somebody has removed it meanwhile, or it may be there: the lists are read again.
    onError: ({ code }) => {
      if (code === 'NOT_FOUND' || code === 'LOST') client.invalidateQueries()
    },
  })
}

/**
 * The same, but nothing is read again by itself. What begins a session needs that: what is being read may wait for
 * that very session, and a caller that waited for it in turn would wait for ever.
 */
export function useSendAlone<Name extends RouteName>(name: Name): Sending<Name> {
  return useMutation({ mutationFn: useOnce(name) })
}

type Sending<Name extends RouteName> = UseMutationResult<AnswerOf<Name>, CallFailed, AskedOf<Name>>
