// What was done, or could not be, said where it is seen wherever the reader has scrolled to.
import { Affix, Button, Group, Notification } from '@mantine/core'
import { useSyncExternalStore } from 'react'
import type { CallFailed } from '../api.ts'
import { useWords } from '../language.ts'
import { focusScreen } from './next-row.ts'
import { words } from './words.ts'

const shownMs = 10_000

type Action = { name: string; onClick(): void }
type Said = { text: string; action?: Action | undefined; isFailure?: boolean }

let said: Said | null = null
let timer: number | undefined
const listeners = new Set<() => void>()

function put(next: Said | null): void {
  window.clearTimeout(timer)
  const toasted = document.getElementById('toast')
  // Its button takes the focus along: the focus goes to the page's main part.
  if (toasted?.contains(document.activeElement)) focusScreen()
  said = next
  for (const listener of listeners) listener()
}

/** Says it for ten seconds, in place of what was said before; `action` is a button for as long. */
export function toast(text: string, action?: Action): void {
  show({ text, action })
}

function show(next: Said): void {
  put(next)
  timer = window.setTimeout(put, shownMs, null)
}

/** The same of what could not be done. */
export function toastFailure(text: string): void {
  show({ text, isFailure: true })
}

/** Says why something failed that is asked for in a menu, which has gone by then. */
export function useToastFailure(): (error: CallFailed) => void {
  const { failures } = useWords(words)
  return ({ code }) => toastFailure(failures[code] ?? failures.INTERNAL_ERROR)
}

export function Toast() {
  const shown = useSyncExternalStore(onChange, () => said)
  return (
    // Above drawers and dialogs; within the page's main part, where screen readers look for it.
    <Affix
      portalProps={{ target: '#content' }}
      position={{ left: 16, right: 16 }}
      zIndex={900}
      w="auto"
      className="toast"
    >
      <div id="toast" role="status">
        {shown !== null && (
          <Notification
            {...{ color: shown.isFailure ? 'red' : 'teal', withBorder: true, maw: 420, ml: 'auto' }}
            role={shown.isFailure ? 'alert' : 'none'}
            onClose={() => put(null)}
          >
            <Group justify="space-between" gap="xs" wrap="nowrap">
              {shown.text}
              {shown.action !== undefined && (
                <Button
                  {...{ size: 'compact-sm', variant: 'default', flex: 'none' }}
                  onClick={() => {
                    put(null)
                    shown.action?.onClick()
                  }}
                >
                  {shown.action.name}
                </Button>
              )}
            </Group>
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
