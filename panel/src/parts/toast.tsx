// What was done, or could not be, said where it is seen wherever the reader has scrolled to.
import { Affix, Button, Group, Notification, Text } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import type { CallFailed } from '../api.ts'
import { useWords } from '../language.ts'
import { atSignOut } from '../leaving.ts'
import { asksForId } from './failure.tsx'
import { kept } from './listeners.ts'
import { focusScreen } from './next-row.ts'
import { words } from './words.ts'

const shownMs = 10_000

type Action = { name: string; onClick(): void }
type ToSay = { text: string; action?: Action | undefined; isFailure?: boolean }
/** Each has a number of its own: the same words again are new ones, and are read out again. */
type Said = ToSay & { number: number }

let count = 0
/** At most one with a button, which stands first, and one without: that one takes no button away. */
const said = kept<readonly Said[]>([])

function remove(one: Said): void {
  const index = said.get().indexOf(one)
  if (index === -1) return
  // Its button takes the focus along: the focus goes to the page's main part.
  if (document.getElementById('toast')?.children[index]?.contains(document.activeElement)) focusScreen()
  said.set(said.get().filter((other) => other !== one))
}

/**
 * Says it for ten seconds, in place of what was said before; `action`, which takes it back, is a button for as long.
 * What it returns takes it away before.
 */
export function toast(text: string, action?: Action): () => void {
  return show({ text, action })
}

/** Says it for as long as something goes on, or until something else is said. */
export function toastWhile(text: string, goesOn: Promise<unknown>): void {
  show({ text }, goesOn)
}

// What one user was told is not for the next one at this tab.
atSignOut(() => said.set([]))

const shownLong = () => new Promise((resolve) => window.setTimeout(resolve, shownMs))

/** With null for `shown` it stays until it is closed, or something else is said. */
function show(toSay: ToSay, shown: Promise<unknown> | null = shownLong()): () => void {
  count += 1
  const next = { ...toSay, number: count }
  const isAlike = ({ action }: Said) => (action === undefined) === (next.action === undefined)
  for (const one of said.get().filter(isAlike)) remove(one)
  said.set(next.action === undefined ? [...said.get(), next] : [next, ...said.get()])
  const takeAway = () => remove(next)
  shown?.then(takeAway, takeAway)
  return takeAway
}

/** Says why something failed that is asked for in a menu, which has gone by then; `what` says first what was not done. */
export function useToastFailure(what?: string): (error: CallFailed) => void {
  const { failures, requestId } = useWords(words)
  return ({ code, requestId: id }) => {
    const why = failures[code] ?? failures.INTERNAL_ERROR
    const said = what === undefined ? why : `${what} ${why}`
    if (!asksForId.has(code) || id === null) show({ text: said, isFailure: true })
    // As long as it takes to write the id down.
    else show({ text: `${said} ${requestId(id)}.`, isFailure: true }, null)
  }
}

export function Toast() {
  const all = said.use()
  return (
    // Above drawers and dialogs; within the page's main part, where screen readers look for it.
    <Affix
      portalProps={{ target: '#content' }}
      position={{ left: 16, right: 16 }}
      zIndex={900}
      w="auto"
      className="toast"
    >
      {/* Screen readers say what is new of it, and not all of it again. */}
      <div id="toast" role="status" aria-atomic={false}>
        {all.map((one) => (
          <OneToast key={one.number} of={one} />
        ))}
      </div>
    </Affix>
  )
}

function OneToast({ of: one }: { of: Said }) {
  const { text, action, isFailure = false } = one
  const act = () => {
    remove(one)
    action?.onClick()
  }
  // The button stands last in the page: by Tab it may be two hundred presses away.
  useHotkeys(action === undefined ? [] : [['mod+Z', act]])
  return (
    <Notification
      {...{ color: isFailure ? 'red' : 'teal', withBorder: true, w: '100%', maw: 420 }}
      role={isFailure ? 'alert' : 'none'}
      onClose={() => remove(one)}
    >
      <Group justify="space-between" gap="xs" wrap="nowrap">
        {text}
        {action !== undefined && (
          <Button
            {...{ size: 'compact-sm', variant: 'default', flex: 'none' }}
            aria-keyshortcuts="Control+Z Meta+Z"
            onClick={act}
          >
            {action.name}
            <Text span inherit c="dimmed" ml={6} visibleFrom="sm">
              Ctrl+Z
            </Text>
          </Button>
        )}
      </Group>
    </Notification>
  )
}
