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
