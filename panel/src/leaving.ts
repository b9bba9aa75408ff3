// A screen with unsaved changes is asked before another one takes its place; what is under way is not left by accident.
import { useEffect } from 'react'
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

/** The browser asks before it closes or loads the page anew; returns what ends that. */
export function stayOpen(): () => void {
  const warn = (event: BeforeUnloadEvent) => event.preventDefault()
  window.addEventListener('beforeunload', warn)
  return () => window.removeEventListener('beforeunload', warn)
}

export function useStayOpen(isBusy: boolean): void {
  useEffect(() => (isBusy ? stayOpen() : undefined), [isBusy])
}

const ends = new Set<() => void>()

/** For what goes on without a screen: it ends with the session. */
export function atSignOut(end: () => void): void {
  ends.add(end)
}

export function endWithSession(): void {
  for (const end of ends) end()
}
