import { Group, Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { useWords } from '../language.ts'
import { BusyButton } from './busy-button.tsx'
import { words } from './words.ts'

type Pages = {
  hasNextPage: boolean
  isFetching: boolean
  isFetchingNextPage: boolean
  isError: boolean
  fetchNextPage(): unknown
}

/** Below a list that is read page by page: the button for the next one, or that there is none. */
export function More({ of }: { of: Pages }) {
  const { hasNextPage, isFetching, isFetchingNextPage, isError, fetchNextPage } = of
  const text = useWords(words)
  const end = useRef<HTMLParagraphElement>(null)
  const wasPressed = useRef(false)
  const isEnd = !hasNextPage && !isFetching && !isError
  useEffect(() => {
    // The button that was pressed goes, and with it the focus.
    if (isEnd && wasPressed.current && document.activeElement === document.body)
      end.current?.focus({ preventScroll: true })
  }, [isEnd])
  const press = () => {
    wasPressed.current = true
    fetchNextPage()
  }
  return (
    <Group justify="center" mih={36}>
      {hasNextPage && (
        <BusyButton size="sm" isBusy={isFetchingNextPage} onClick={press}>
          {text.more}
        </BusyButton>
      )}
      {isEnd && (
        <Text ref={end} tabIndex={-1} size="sm" c="dimmed">
          {text.end}
        </Text>
      )}
    </Group>
  )
}
