import { Group, Text } from '@mantine/core'
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
  return (
    <Group justify="center" mih={36}>
      {hasNextPage && (
        <BusyButton size="sm" isBusy={isFetchingNextPage} onClick={() => fetchNextPage()}>
          {text.more}
        </BusyButton>
      )}
      {!hasNextPage && !isFetching && !isError && (
        <Text size="sm" c="dimmed">
          {text.end}
        </Text>
      )}
    </Group>
  )
}
