import { Button, Checkbox, Code, Group, Stack, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { useWords } from '../../language.ts'
import { Copy } from '../../parts/copy.tsx'
import { download } from '../../parts/download.ts'
import { words } from './security-words.ts'

/** The only time that they are seen. */
export function RecoveryCodes({ codes, onDone }: { codes: string[]; onDone(): void }) {
  const text = useWords(words)
  const [isSure, setSure] = useState(false)
  const shown = useRef<HTMLPreElement>(null)
  // They take the place of a field, which had the focus.
  useEffect(() => shown.current?.focus(), [])
  const lines = codes.join('\n')
  return (
    <Stack>
      <Text size="sm">{text.recoveryText}</Text>
      <Code ref={shown} block role="region" aria-label={text.recoveryCodes} tabIndex={0}>
        {lines}
      </Code>
      <Group gap="sm">
        <Copy text={lines} name={text.recoveryCodes} />
        <Button
          size="xs"
          variant="default"
          onClick={() => download(new Blob([`${lines}\n`], { type: 'text/plain' }), 'lastcall-recovery-codes.txt')}
        >
          {text.download}
        </Button>
      </Group>
      <Checkbox label={text.haveCodes} checked={isSure} onChange={(event) => setSure(event.currentTarget.checked)} />
      <Button disabled={!isSure} onClick={onDone}>
        {text.done}
      </Button>
    </Stack>
  )
}
