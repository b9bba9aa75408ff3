import { Button, Code, CopyButton, Group, Paper } from '@mantine/core'
import { useWords } from '../language.ts'
import { words } from './words.ts'

/** A button that copies, and says that it has. */
export function Copy({ text, label }: { text: string; label?: string }) {
  const { copy, copied } = useWords(words)
  return (
    <CopyButton value={text}>
      {({ copied: done, copy: doCopy }) => (
        <Button size="xs" variant={done ? 'filled' : 'default'} onClick={doCopy} aria-live="polite">
          {done ? copied : (label ?? copy)}
        </Button>
      )}
    </CopyButton>
  )
}

/** Text to be pasted elsewhere, with its button; `name` says to screen readers what it is. */
export function CopyBlock({ text, name }: { text: string; name: string }) {
  return (
    <Paper withBorder p="sm">
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
        <Copy text={text} />
      </Group>
    </Paper>
  )
}
