import { Button, Group, Loader, Text } from '@mantine/core'
import { useLanguage, useWords } from '../../../language.ts'
import classes from './leads.module.css'
import type { useLeads } from './use-leads.ts'
import { numberText, words } from './words.ts'

type Props = { leads: ReturnType<typeof useLeads>; isByState: boolean }

/** How far the search got, and the way on. */
export function LookingThrough({ leads, isByState }: Props) {
  const text = useWords(words)
  const language = useLanguage()
  const { leads: rows, read, readUpTo, isLooking, isStopped, hasMore, isPending, failed } = leads
  const isDone = !hasMore && !isLooking && !isPending && failed.error === null
  const far = [text.read(read), text.found(rows.length), ...(readUpTo === null ? [] : [text.upTo(readUpTo)])]
  return (
    <Group gap="sm" role="status" mih={36}>
      {isLooking && <Loader size="xs" />}
      {isByState && !isPending && (
        <Text size="sm" className={classes.address}>
          {far.join(', ')}
        </Text>
      )}
      {!isByState && isDone && rows.length > 0 && (
        <Text size="sm" c="dimmed">
          {text.all(rows.length)}
        </Text>
      )}
      {!isByState && hasMore && <Text size="sm">{numberText(language, rows.length)}</Text>}
      {isLooking && isByState && (
        <Button size="xs" variant="default" onClick={leads.stop}>
          {text.stop}
        </Button>
      )}
      {!isLooking && hasMore && failed.error === null && (
        <Button size="xs" variant="default" onClick={leads.more}>
          {isStopped ? text.goOn : text.more}
        </Button>
      )}
    </Group>
  )
}
