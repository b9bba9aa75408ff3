// A session that ended in the middle of something: the reader signs in on top of it, and it goes on.
let waiting: { promise: Promise<boolean>; settle: (isSignedIn: boolean) => void } | undefined
const listeners = new Set<() => void>()

function changed(): void {
  for (const listener of listeners) listener()
}

/** Resolves once the reader has signed in again; false where they came in by another door, and nothing waits any more. */
export function signInAgain(): Promise<boolean> {
  if (waiting === undefined) {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    waiting = { promise, settle: resolve }
    changed()
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
  changed()
}

export const isSignInAsked = (): boolean => waiting !== undefined

export function onSignInAsked(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
