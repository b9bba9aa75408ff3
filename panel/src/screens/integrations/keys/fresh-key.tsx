import { Button, Checkbox, Code, Modal, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { AnswerOf } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { atSignOut, useStayOpen } from '../../../leaving.ts'
import { ByHand, useCopy } from '../../../parts/copy.tsx'
import { stays } from '../../../parts/escape.ts'
import { kept } from '../../../parts/listeners.ts'
import { focusMade } from '../../../parts/next-row.ts'
import { words as common } from '../../../parts/words.ts'
import { words } from './words.ts'

/** A key, or the secret of a webhook. */
type Fresh = Pick<AnswerOf<'POST /keys'>, 'id' | 'name' | 'key'> & { isSecret?: true }

/**
 * A key that was just made, until the reader says that they have it: somebody who leaves the screen and comes back sees
 * it again.
 */
export const freshKey = kept<Fresh | null>(null)

atSignOut(() => freshKey.set(null))

/** Shows the secret this once. No key and no click beside it closes the dialog. */
export function FreshKeyDialog() {
  const fresh = freshKey.use()
  const text = useText(fresh)
  useStayOpen(fresh !== null)
  return (
    <Modal
      opened={fresh !== null}
      onClose={() => {}}
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
      {...stays(fresh !== null)}
      title={text.freshTitle}
      size="lg"
      centered
    >
      {fresh !== null && <FreshKey key={fresh.id} fresh={fresh} />}
    </Modal>
  )
}

function useText(fresh: Fresh | null) {
  const text = useWords(words)
  return { ...text, ...(fresh?.isSecret && text.ofSecret) }
}

function FreshKey({ fresh }: { fresh: Fresh }) {
  const text = useText(fresh)
  const { copied: hasCopied } = useWords(common)
  const [isSure, setSure] = useState(false)
  const { isCopied, hasFailed, copy } = useCopy(fresh.key)
  const done = () => {
    freshKey.set(null)
    focusMade(fresh.id)
  }
  return (
    <Stack>
      <Text size="sm">{text.freshText(fresh.name)}</Text>
      <Code
        block
        role="region"
        aria-label={text.freshKey}
        style={{ whiteSpace: 'normal', overflowWrap: 'anywhere', userSelect: 'all' }}
      >
        {fresh.key}
      </Code>
      <Button onClick={copy} aria-live="polite" data-autofocus>
        {isCopied ? hasCopied : text.copyKey}
      </Button>
      {hasFailed && <ByHand />}
      <Checkbox label={text.haveCopied} checked={isSure} onChange={(event) => setSure(event.currentTarget.checked)} />
      <Button variant="default" disabled={!isSure} onClick={done}>
        {text.done}
      </Button>
    </Stack>
  )
}
