import { Button, Collapse, ScrollArea, Table } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useLanguage, useWords } from '../../language.ts'
import { kindsShown, type Overview } from './overview.tsx'
import { words } from './words.ts'

/** The same numbers as in the chart, newest first. */
export function DayTable({ days }: Pick<Overview, 'days'>) {
  const text = useWords(words)
  const language = useLanguage()
  const [isOpen, { toggle }] = useDisclosure(false)
  const long = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })
  return (
    <div>
      <Button variant="subtle" size="xs" onClick={toggle} aria-expanded={isOpen}>
        {text.table}
      </Button>
      <Collapse expanded={isOpen}>
        <ScrollArea type="auto" viewportProps={{ tabIndex: 0 }}>
          <Table miw={480}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{text.day}</Table.Th>
                {kindsShown.map((kind) => (
                  <Table.Th key={kind}>{text.kinds[kind]}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {days.toReversed().map((day) => (
                <Table.Tr key={day.date}>
                  <Table.Td>{long.format(new Date(day.date))}</Table.Td>
                  {kindsShown.map((kind) => (
                    <Table.Td key={kind}>{day[kind]}</Table.Td>
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
