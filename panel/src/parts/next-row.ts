import { type RefObject, useEffect, useRef } from 'react'

/** Dialogs give the focus back a moment after they closed. */
const closingMs = 60
/** By then the focus is where the screen has put it. */
export const closedMs = 120
/** By then dialogs are off the page. */
const goneMs = 300

/** To open a dialog after another one: when this closes, the focus then goes back to what is still there. */
export const afterClosing = (open: () => void) => setTimeout(open, closingMs)

/** For a dialog that opened over another one, which has gone: the focus goes to what was made, or what is open. */
export function focusMade(id: string): void {
  setTimeout(() => {
    // Who came to another screen meanwhile has the focus on the whole of it.
    const { activeElement: focused, body } = document
    if (focused !== body && focused?.id !== 'content') return
    const rows = document.querySelectorAll<HTMLElement>(`[data-row="${id}"] :is(a, button), [role=dialog] button`)
    // A screen that is left is hidden until the next one is loaded.
    const next = [...rows].find((row) => row.checkVisibility()) ?? document.getElementById('content')
    next?.focus()
  }, goneMs)
}

/** Once React has marked the first field that is wrong, or has said why it failed: it may be out of sight. */
export function focusOnFault(within: ParentNode = document): void {
  setTimeout(() => {
    const field = within.querySelector<HTMLElement>('form [aria-invalid="true"]')
    if (field === null) within.querySelector('form [role=alert]')?.scrollIntoView({ block: 'nearest' })
    else field.focus()
  }, closingMs)
}

/** For a dialog of steps: the button that was pressed went with its step, and the next one's `data-autofocus` goes on. */
export function useFocusOfStep(step: string): RefObject<HTMLDivElement | null> {
  const inside = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it looks at what the step shows.
  useEffect(() => inside.current?.querySelector<HTMLElement>('[data-autofocus], [role=alert] button')?.focus(), [step])
  return inside
}

/** What had the focus is gone: keyboard and screen reader go on from the top of the screen. */
export const focusScreen = () => document.getElementById('content')?.focus({ preventScroll: true })

/** The link that was pressed went with its screen, or the browser's own Back was. */
export function useFocusOfScreen(path: string): void {
  const before = useRef(path)
  useEffect(() => {
    if (before.current === path) return
    before.current = path
    setTimeout(() => document.activeElement === document.body && focusScreen(), goneMs)
  }, [path])
}

/** After another page of a list. At its end the button cannot be pressed again, and loses the focus. */
export function toBeginning(): void {
  window.scrollTo(0, 0)
  focusScreen()
}

/** A button that has nothing to do now and keeps the focus, which `disabled` hands to the page: its form looks itself. */
export const idle = (isIdle: boolean) => isIdle && { 'data-disabled': true, 'aria-disabled': true }

/** Marks a row of a list that can go. */
export const rowMark = (list: string, id: string | number) => ({ 'data-row-of': list, 'data-row': String(id) })

/**
 * To be called before a row goes. What it returns puts the focus on the row that then stands in its place, or else on
 * the last one, or the dialog that has the list, or the page.
 */
export function focusNextRow(list: string, id: string | number): () => void {
  const rows = () => [...document.querySelectorAll<HTMLElement>(`[data-row-of="${list}"]`)]
  const before = rows()
  const index = before.findIndex((row) => row.dataset.row === String(id))
  const dialog = before[index]?.closest<HTMLElement>('[role=dialog]')
  const focus = () => {
    const left = rows()
    const row = index === -1 ? undefined : (left[index] ?? left.at(-1))
    const next = row?.querySelector<HTMLElement>('a, button') ?? dialog ?? document.getElementById('content')
    next?.focus()
    return next
  }
  return () => {
    setTimeout(() => {
      const focused = focus()
      // On a busy machine the row may have been there still, and have taken the focus along.
      setTimeout(() => focused?.isConnected === false && document.activeElement === document.body && focus(), goneMs)
    }, closingMs)
  }
}
