import { useSyncExternalStore } from 'react'

/** Who is told that something kept beside the screens has changed; `add` is what `useSyncExternalStore` subscribes by. */
export function someListeners() {
  const listeners = new Set<() => void>()
  return {
    tell: () => {
      for (const listener of listeners) listener()
    },
    add: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** One value kept beside the screens: what reads it by `use` is drawn again when another is set. */
export function kept<T>(first: T) {
  const listeners = someListeners()
  let value = first
  const get = () => value
  return {
    get,
    set: (next: T) => {
      value = next
      listeners.tell()
    },
    use: () => useSyncExternalStore(listeners.add, get),
  }
}
