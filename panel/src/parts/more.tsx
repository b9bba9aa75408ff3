import { Group, Text } from '@mantine/core'
import { useWords } from '../language.ts'
import { BusyButton } from './busy-button.tsx'
import { useFocusAfter } from './focus-after.ts'
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
  const isEnd = !hasNextPage && !isFetching && !isError
  const { ref, press } = useFocusAfter<HTMLParagraphElement>(isEnd)
  return (
    <Group justify="center" mih={36}>
      {hasNextPage && (
        <BusyButton size="sm" isBusy={isFetchingNextPage} onClick={press(fetchNextPage)}>
          {text.more}
        </BusyButton>
      )}
      {isEnd && (
        <Text ref={ref} tabIndex={-1} size="sm" c="dimmed">
          {text.end}
        </Text>
      )}
    </Group>
  )
}
