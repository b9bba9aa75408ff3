// A session that ended in the middle of something: the reader signs in on top of it, and it goes on.
let waiting: { promise: Promise<void>; done: () => void } | undefined
const listeners = new Set<() => void>()

function changed(): void {
  for (const listener of listeners) listener()
}

/** Resolves once the reader has signed in again. */
export function signInAgain(): Promise<void> {
  if (waiting === undefined) {
    const { promise, resolve } = Promise.withResolvers<void>()
    waiting = { promise, done: resolve }
    changed()
  }
  return waiting.promise
}

export function signedInAgain(): void {
  waiting?.done()
  waiting = undefined
  changed()
}

export const isSignInAsked = (): boolean => waiting !== undefined

export function onSignInAsked(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
