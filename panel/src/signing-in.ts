// A session that ended in the middle of something: the reader signs in on top of it, and it goes on.
import { someListeners } from './parts/listeners.ts'

let waiting: { promise: Promise<boolean>; settle: (isSignedIn: boolean) => void } | undefined
const listeners = someListeners()

/** Resolves once the reader has signed in again; false where they came in by another door, and nothing waits any more. */
export function signInAgain(): Promise<boolean> {
  if (waiting === undefined) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    waiting = { promise, settle: resolve }
    listeners.tell()
  }
  return waiting.promise
}

export function signedInAgain(): void {
  settle(true)
}

/** The screens that waited are gone: what they asked must not be asked in the name of the user who comes in now. */
export function giveUpSigningInAgain(): void {
  settle(false)
}

function settle(isSignedIn: boolean): void {
  waiting?.settle(isSignedIn)
  waiting = undefined
  listeners.tell()
}

export const isSignInAsked = (): boolean => waiting !== undefined
export const onSignInAsked = listeners.add
