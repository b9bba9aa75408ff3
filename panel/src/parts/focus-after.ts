import { useEffect, useRef } from 'react'

/** For a button that goes once it was pressed, as after the last page: what has `ref` gets the focus in its place. */
export function useFocusAfter<T extends HTMLElement>(isGone: boolean) {
  const ref = useRef<T>(null)
  const wasPressed = useRef(false)
  useEffect(() => {
    if (!isGone) return
    if (wasPressed.current && document.activeElement === document.body) ref.current?.focus({ preventScroll: true })
    wasPressed.current = false
  }, [isGone])
  const press = (work: () => unknown) => () => {
    wasPressed.current = true
    work()
  }
  return { ref, press }
}
