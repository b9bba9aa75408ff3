import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { type AnswerOf, askAs, type CallFailed, call, keyOf } from './api.ts'
import { signInAgain } from './signing-in.ts'

type Session = AnswerOf<'GET /session'>
export type SignedIn = Extract<Session, { signedIn: true }>
export type Role = SignedIn['user']['role']

const staleMs = 60_000
const queryKey = keyOf('GET /session', {})

/**
 * Whether somebody is signed in, asked again from time to time. Where a session has ended since, or another tab has
 * signed somebody else in, the screens stay as they are, and the reader signs in on top of them.
 */
export function useAnySession(): UseQueryResult<Session, CallFailed> {
  const client = useQueryClient()
  return useQuery<Session, CallFailed>({
    queryKey,
    queryFn: async ({ signal }) => {
      const before = client.getQueryData<Session>(queryKey)
      const found = await call('GET /session', {}, signal)
      const hasEnded = before?.signedIn === true && userIdOf(before) !== userIdOf(found)
      const session = hasEnded && (await signInAgain()) ? await call('GET /session', {}, signal) : found
      askAs(userIdOf(session))
      return session
    },
    staleTime: staleMs,
  })
}

const userIdOf = (session: Session) => (session.signedIn ? session.user.id : undefined)

/** Who is signed in; only screens behind the session ask. */
export function useSession(): SignedIn {
  const { data } = useAnySession()
  if (data === undefined || !data.signedIn) throw new Error('nobody is signed in')
  return data
}

/** Each may do what those of a lower rank may. In the order in which a field offers them. */
export const rank: Record<Role, number> = { owner: 2, member: 1, viewer: 0 }

/** Whether the reader may do what `needed` may. */
export function useMay(needed: Role): boolean {
  const { role } = useSession().user
  return rank[role] >= rank[needed]
}
