import { Button, Group, Text } from '@mantine/core'
import { useLanguage, useWords } from '../../../language.ts'
import { useFocusAfter } from '../../../parts/focus-after.ts'
import classes from './leads.module.css'
import { pageSize, type useLeads } from './use-leads.ts'
import { lastPage } from './wanted.ts'
import { numberText, words } from './words.ts'

type Props = {
  leads: ReturnType<typeof useLeads>
  /** Where leads are looked through one by one: it takes its time. */
  isSteps: boolean
  page: number
  onPage(page: number): void
}

/** How far the search got, and the way to the other pages. */
export function LookingThrough({ leads, isSteps, page, onPage }: Props) {
  const text = useWords(words)
  const language = useLanguage()
  const { leads: rows, foundCount, read, readUpTo, isLooking, isStopped, hasMore, isPending, failed } = leads
  const mayStop = isLooking && isSteps
  const mayGoOnLooking = isStopped && hasMore && failed.error === null
  const { ref, press } = useFocusAfter<HTMLDivElement>(!mayStop && !mayGoOnLooking)
  const isDone = !hasMore && !isLooking && !isPending && failed.error === null
  // A space is the service's `withoutDeadline`: no address that it got to.
  const upTo = readUpTo === null || readUpTo === ' ' ? [] : [text.upTo(readUpTo)]
  const far = [text.read(read), text.found(foundCount), ...upTo]
  const mayGoOn = leads.hasNextPage && page < lastPage
  const first = (page - 1) * pageSize
  const number = (count: number) => numberText(language, count)
  return (
    <Group gap="sm" mih={36} justify="space-between">
      <Group gap="sm">
        {/* Screen readers say how far it got when it ends, and not at each of a hundred steps. */}
        <div ref={ref} tabIndex={-1} role="status" aria-busy={isLooking}>
          {isSteps && !isPending && (
            <Text size="sm" className={classes.address}>
              {far.join(', ')}
            </Text>
          )}
          {!isSteps && isDone && foundCount > 0 && (
            <Text size="sm" c="dimmed">
              {text.all(foundCount)}
            </Text>
          )}
        </div>
        {/* One button, which keeps the focus. */}
        {(mayStop || mayGoOnLooking) && (
          <Button size="xs" variant="default" onClick={press(mayStop ? leads.stop : leads.goOn)}>
            {mayStop ? text.stop : text.goOn}
          </Button>
        )}
      </Group>
      {(page > 1 || leads.hasNextPage) && (
        <Group gap="xs">
          {rows.length > 0 && (
            <Text size="sm" c="dimmed">
              {number(first + 1)}–{number(first + rows.length)}
            </Text>
          )}
          <Button size="xs" variant="default" disabled={page === 1} onClick={() => onPage(page - 1)}>
            {text.previousPage}
          </Button>
          <Button size="xs" variant="default" disabled={!mayGoOn} onClick={() => onPage(page + 1)}>
            {text.nextPage}
          </Button>
          {leads.hasNextPage && !mayGoOn && <Text size="sm">{text.lastPage}</Text>}
        </Group>
      )}
    </Group>
  )
}
