import { Button, Group, Text } from '@mantine/core'
import { useWords } from '../language.ts'
import { words } from './words.ts'

type Pages = { hasNextPage: boolean; isFetching: boolean; isError: boolean; fetchNextPage(): unknown }

/** Below a list that is read page by page: the button for the next one, or that there is none. */
export function More({ of: { hasNextPage, isFetching, isError, fetchNextPage } }: { of: Pages }) {
  const text = useWords(words)
  return (
    <Group justify="center" mih={36}>
      {hasNextPage && (
        <Button variant="default" size="sm" loading={isFetching} onClick={() => fetchNextPage()}>
          {text.more}
        </Button>
      )}
      {!hasNextPage && !isFetching && !isError && (
        <Text size="sm" c="dimmed">
          {text.end}
        </Text>
      )}
    </Group>
  )
}
