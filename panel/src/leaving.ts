// A screen with unsaved changes is asked before another one takes its place; what is under way is not left by accident.
import { useEffect, useLayoutEffect } from 'react'
import type { AroundNavHandler } from 'wouter'

/** `to` is the address of where the reader wants to go, within the panel. */
type Ask = (go: () => void, to: string) => void

let ask: Ask | undefined

/** From now on `next` decides whether the reader goes on; returns what ends that. */
export function askBeforeLeaving(next: Ask): () => void {
  ask = next
  return () => {
    if (ask === next) ask = undefined
  }
}

const base = new URL(document.baseURI).pathname.replace(/\/$/, '')

/** A lead lies over its list, and what stands behind the question mark is chosen on a screen: neither is another one. */
const screenOf = (pathname: string) => pathname.slice(base.length).split('/', 4).join('/')

/** Who signs out has decided already. The router's `to` begins with `base`, and may have a query. */
export const aroundNav: AroundNavHandler = (navigate, to, options) => {
  const { pathname } = new URL(to, document.baseURI)
  const go = () => {
    const isOther = screenOf(pathname) !== screenOf(window.location.pathname)
    navigate(to, options)
    // A link leads to the beginning of a screen; the browser's Back leads to where one was on it.
    if (isOther) window.scrollTo(0, 0)
  }
  if (ask === undefined || pathname.endsWith('/sign-in')) go()
  else ask(go, pathname.slice(base.length))
}

/** The number of this entry in the window's history, kept with it: it tells how far back or forth a step went. */
let position = Number(window.history.state?.position ?? 0)

function keepPosition(next: number): void {
  if (window.history.state?.position === next) return
  position = next
  window.history.replaceState({ ...window.history.state, position }, '')
}

// The router makes these events of every address that it sets.
window.addEventListener('pushState', () => keepPosition(position + 1))
window.addEventListener('replaceState', () => keepPosition(position))

/** What is asked once the browser is back where the reader still is; or that nothing is asked, as they have decided. */
let returning: (() => void) | undefined
let hasDecided = false

/** The browser has gone already: it goes back, before the router sees it, and then the reader is asked. */
function onStep(event: PopStateEvent): void {
  const asking = ask
  const steps = Number(event.state?.position ?? 0) - position
  if (returning !== undefined) {
    event.stopImmediatePropagation()
    returning()
    returning = undefined
  } else if (asking === undefined || steps === 0 || hasDecided) {
    hasDecided = false
    position += steps
  } else {
    event.stopImmediatePropagation()
    const to = window.location.pathname.slice(base.length)
    const go = () => {
      hasDecided = true
      window.history.go(steps)
    }
    returning = () => asking(go, to)
    window.history.go(-steps)
  }
}

window.addEventListener('popstate', onStep, { capture: true })

/** The browser asks before it closes or loads the page again; returns what ends that. */
export function stayOpen(): () => void {
  const warn = (event: BeforeUnloadEvent) => event.preventDefault()
  window.addEventListener('beforeunload', warn)
  return () => window.removeEventListener('beforeunload', warn)
}

export function useStayOpen(isBusy: boolean): void {
  useEffect(() => (isBusy ? stayOpen() : undefined), [isBusy])
}

/** For what is seen only once: no link and no step back leaves the screen. Signing out does. */
export function useStayHere(isBusy: boolean): void {
  useStayOpen(isBusy)
  useLayoutEffect(() => (isBusy ? askBeforeLeaving(() => {}) : undefined), [isBusy])
}

/**
 * From now on tells whether the reader is still at this address: what comes late takes nobody away from another. The
 * screen itself does not tell, since it is there, hidden, until the next one is loaded.
 */
export function stayed(): () => boolean {
  const { pathname } = window.location
  return () => window.location.pathname === pathname
}

const ends = new Set<() => void>()

/** For what goes on without a screen: it ends with the session, also where somebody else comes in. */
export function atSignOut(end: () => void): void {
  ends.add(end)
}

export function endWithSession(): void {
  for (const end of ends) end()
}
