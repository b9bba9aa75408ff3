// A session that ended in the middle of something: the reader signs in on top of it, and it goes on.
import { kept } from './parts/listeners.ts'

type Waiting = { promise: Promise<boolean>; settle: (isSignedIn: boolean) => void }

const waiting = kept<Waiting | undefined>(undefined)

/** Resolves once the reader has signed in again; false where they came in by another door, and nothing waits any more. */
export function signInAgain(): Promise<boolean> {
  const asked = waiting.get()
  if (asked !== undefined) return asked.promise
  const { promise, resolve } = Promise.withResolvers<boolean>()
  waiting.set({ promise, settle: resolve })
  return promise
}

export function signedInAgain(): void {
  settle(true)
}

/** The screens that waited are gone: what they asked must not be asked in the name of the user who comes in now. */
export function giveUpSigningInAgain(): void {
  settle(false)
}

function settle(isSignedIn: boolean): void {
  waiting.get()?.settle(isSignedIn)
  waiting.set(undefined)
}

export const useIsSignInAsked = (): boolean => waiting.use() !== undefined
