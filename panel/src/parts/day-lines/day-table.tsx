import { Button, Collapse, ScrollArea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { locales, useLanguage, useWords } from '../../language.ts'
import { NumberTable } from '../number-table.tsx'
import { words } from '../words.ts'
import type { DayLinesProps } from './plot.tsx'

/** Newest first. */
export function DayTable<Name extends string>({ label, lines, days }: DayLinesProps<Name>) {
  const text = useWords(words)
  const language = useLanguage()
  const [isOpen, { toggle }] = useDisclosure(false)
  const long = new Intl.DateTimeFormat(locales[language], { dateStyle: 'medium', timeZone: 'UTC' })
  return (
    <div>
      <Button
        variant="subtle"
        size="xs"
        onClick={toggle}
        aria-expanded={isOpen}
        aria-label={`${text.asTable}: ${label}`}
      >
        {text.asTable}
      </Button>
      <Collapse expanded={isOpen}>
        <ScrollArea type="auto" viewportProps={{ tabIndex: 0 }}>
          <NumberTable
            miw={480}
            aria-label={label}
            head={[text.day, ...lines.map(({ label }) => label)]}
            lines={(isOpen ? days.toReversed() : []).map((day) => [
              long.format(new Date(day.date)),
              ...lines.map(({ name }) => day[name]),
            ])}
          />
        </ScrollArea>
      </Collapse>
    </div>
  )
}
