import { type AnswerOf, useAsk } from './api.ts'

export type SignedIn = Extract<AnswerOf<'GET /session'>, { signedIn: true }>

/** Who is signed in; only screens behind the session ask. */
export function useSession(): SignedIn {
  const { data } = useAsk('GET /session', {}, { staleMs: 60_000 })
  if (data === undefined || !data.signedIn) throw new Error('nobody is signed in')
  return data
}
