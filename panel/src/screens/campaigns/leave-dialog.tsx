import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useLayoutEffect, useRef, useState } from 'react'
import { useWords } from '../../language.ts'
import { askBeforeLeaving, useStayOpen } from '../../leaving.ts'
import { unsavedLeft, useIsUnsaved } from './unsaved.ts'
import { words } from './words.ts'

/** Changes with which the reader wanted to leave: they are kept, so nobody is asked about them twice. */
const known = new WeakSet<object>()

/** Asks before the reader leaves unsaved changes; a browser that closes asks in words of its own. */
export function LeaveDialog({ campaignId, part }: { campaignId: number; part: string }) {
  const text = useWords(words)
  const [isOpen, setIsOpen] = useState(false)
  const go = useRef<() => void>(undefined)
  const isUnsaved = useIsUnsaved(campaignId)
  useLayoutEffect(() => {
    if (!isUnsaved) return undefined
    return askBeforeLeaving((next, to) => {
      const left = unsavedLeft(campaignId, part, to).filter((unsaved) => !known.has(unsaved))
      if (left.length === 0) return next()
      go.current = () => {
        for (const unsaved of left) known.add(unsaved)
        next()
      }
      setIsOpen(true)
    })
  }, [isUnsaved, campaignId, part])
  useStayOpen(isUnsaved)
  const leave = () => {
    setIsOpen(false)
    go.current?.()
  }
  return (
    <Modal opened={isOpen} onClose={() => setIsOpen(false)} title={text.leave} centered>
      <Stack>
        <Text size="sm">{text.leaveText}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={leave}>
            {text.go}
          </Button>
          <Button data-autofocus onClick={() => setIsOpen(false)}>
            {text.stay}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
