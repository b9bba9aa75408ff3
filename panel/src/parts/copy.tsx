import { Button, Code, Group, Paper, Stack, Text } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useWords } from '../language.ts'
import { words } from './words.ts'

type Copying = { isCopied: boolean; hasFailed: boolean; copy(): void }

const saidMs = 3_000

/** Copies, and says for a moment that it has; or that it cannot, until it can. */
export function useCopy(text: string): Copying {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready')
  useEffect(() => {
    if (state !== 'copied') return
    const timer = setTimeout(setState, saidMs, 'ready')
    return () => clearTimeout(timer)
  }, [state])
  const copy = async () => setState((await write(text)) ? 'copied' : 'failed')
  return { isCopied: state === 'copied', hasFailed: state === 'failed', copy }
}

/** Browsers have a clipboard for pages that came by HTTPS; for others there is the way of before. */
async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return writeSelected(text)
  }
}

function writeSelected(text: string): boolean {
  const before = document.activeElement
  const field = document.createElement('textarea')
  field.value = text
  field.style.position = 'fixed'
  field.style.opacity = '0'
  // Beside what was pressed: a dialog keeps the focus within itself.
  ;(before?.parentElement ?? document.body).append(field)
  field.select()
  try {
    return document.execCommand('copy')
  } catch {
    return false
  } finally {
    field.remove()
    if (before instanceof HTMLElement) before.focus()
  }
}

/** Stands below a button that could not copy. */
export function ByHand() {
  const { byHand } = useWords(words)
  return (
    <Text size="sm" role="alert">
      {byHand}
    </Text>
  )
}

/** A button that copies, and says that it has; `name` tells apart several on one screen, for those who hear them. */
export function Copy({ text, name }: { text: string; name: string }) {
  const { copy: copyWord, copied } = useWords(words)
  const { isCopied, hasFailed, copy } = useCopy(text)
  const said = isCopied ? copied : copyWord
  return (
    <>
      <Button
        size="xs"
        variant={isCopied ? 'filled' : 'default'}
        onClick={copy}
        aria-live="polite"
        aria-label={`${said}: ${name}`}
      >
        {said}
      </Button>
      {hasFailed && <ByHand />}
    </>
  )
}

/** Text to be pasted elsewhere, with its button; `name` says to screen readers what it is. */
export function CopyBlock({ text, name }: { text: string; name: string }) {
  return (
    <Paper withBorder p="sm" maw="100%">
      <Group align="start" wrap="nowrap" gap="sm">
        <Code
          block
          bg="transparent"
          p={0}
          flex={1}
          tabIndex={0}
          role="region"
          aria-label={name}
          style={{ overflowX: 'auto', minWidth: 0 }}
        >
          {text}
        </Code>
        <Stack gap="xs" align="end" maw="45%">
          <Copy text={text} name={name} />
        </Stack>
      </Group>
    </Paper>
  )
}
