// A screen with unsaved changes is asked before another one takes its place.
import type { AroundNavHandler } from 'wouter'

type Ask = (go: () => void) => void

let ask: Ask | undefined

/** From now on `next` decides whether the reader goes on; returns what ends that. */
export function askBeforeLeaving(next: Ask): () => void {
  ask = next
  return () => {
    if (ask === next) ask = undefined
  }
}

/** Who signs out has decided already. */
export const aroundNav: AroundNavHandler = (navigate, to, options) => {
  const go = () => navigate(to, options)
  if (ask === undefined || to.endsWith('/sign-in')) go()
  else ask(go)
}
