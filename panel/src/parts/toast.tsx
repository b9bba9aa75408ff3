// What was done, said where it is seen wherever the reader has scrolled to.
import { Affix, Notification } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import { useWords } from '../language.ts'
import { words } from './words.ts'

const shownMs = 10_000

let said: string | null = null
let timer: number | undefined
const listeners = new Set<() => void>()

function put(text: string | null): void {
  window.clearTimeout(timer)
  said = text
  for (const listener of listeners) listener()
}

/** Says it for ten seconds, in place of what was said before. */
export function toast(text: string): void {
  put(text)
  timer = window.setTimeout(put, shownMs, null)
}

export function Toast() {
  const { close } = useWords(words)
  const text = useSyncExternalStore(onChange, () => said)
  return (
    // Above drawers and dialogs; within the page's main part, where screen readers look for it.
    <Affix portalProps={{ target: '#content' }} position={{ bottom: 16, left: 16, right: 16 }} zIndex={900} w="auto">
      <div role="status">
        {text !== null && (
          <Notification
            {...{ color: 'teal', withBorder: true, role: 'none', maw: 420, ml: 'auto' }}
            closeButtonProps={{ 'aria-label': close }}
            onClose={() => put(null)}
          >
            {text}
          </Notification>
        )}
      </div>
    </Affix>
  )
}

function onChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
