import { Button, Collapse, ScrollArea, Table } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { locales, useLanguage, useWords } from '../../language.ts'
import { words } from '../words.ts'
import type { DayLinesProps } from './day-lines.tsx'

/** Newest first. */
export function DayTable<Name extends string>({ label, lines, days }: DayLinesProps<Name>) {
  const text = useWords(words)
  const language = useLanguage()
  const [isOpen, { toggle }] = useDisclosure(false)
  const long = new Intl.DateTimeFormat(locales[language], { dateStyle: 'medium', timeZone: 'UTC' })
  const number = new Intl.NumberFormat(language)
  return (
    <div>
      <Button variant="subtle" size="xs" onClick={toggle} aria-expanded={isOpen}>
        {text.asTable}
      </Button>
      <Collapse expanded={isOpen}>
        <ScrollArea type="auto" viewportProps={{ tabIndex: 0 }}>
          <Table miw={480} aria-label={label}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{text.day}</Table.Th>
                {lines.map(({ name, label }) => (
                  <Table.Th key={name} ta="end">
                    {label}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {isOpen &&
                days.toReversed().map((day) => (
                  <Table.Tr key={day.date}>
                    <Table.Td>{long.format(new Date(day.date))}</Table.Td>
                    {lines.map(({ name }) => (
                      <Table.Td key={name} ta="end">
                        {number.format(day[name])}
                      </Table.Td>
                    ))}
                  </Table.Tr>
                ))}
            </Table.Tbody>
          </Table>
        </ScrollArea>
      </Collapse>
    </div>
  )
}
