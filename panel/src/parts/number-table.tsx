import { Table, type TableProps } from '@mantine/core'
import { useLanguage } from '../language.ts'

type Props = Omit<TableProps, 'data'> & {
  head: readonly string[]
  /** What the line is of, and a number for each other name of the head, or words for it. */
  lines: readonly (readonly [of: string, ...numbers: (number | string)[]])[]
}

/** Numbers under their names. */
export function NumberTable({ head: [first, ...names], lines, ...props }: Props) {
  const number = new Intl.NumberFormat(useLanguage())
  return (
    <Table {...props}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{first}</Table.Th>
          {names.map((name) => (
            <Table.Th key={name} ta="end">
              {name}
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {lines.map(([of, ...numbers], at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two pages may have one address, and a line keeps nothing.
          <Table.Tr key={at}>
            {/* An address breaks anywhere, so that the column would be as narrow as a letter. */}
            <Table.Td miw={100} style={{ overflowWrap: 'anywhere' }}>
              {of}
            </Table.Td>
            {numbers.map((value, at) => (
              <Table.Td key={names[at]} ta="end">
                {typeof value === 'number' ? number.format(value) : value}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
