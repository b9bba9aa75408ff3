import './rows.css'
import { VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  label: string
  columns: readonly string[]
  /** What ticks all rows, whose first cells tick each: in the head, and on a phone above the cards. */
  all?: ReactNode
  /** Those of `columns` that hold numbers. */
  numbers?: readonly string[]
  /** What a last column is called that shows its buttons and no name. */
  actions?: string
  children: ReactNode
}

/** A table, which a phone shows as a card for each row: a cell's `data-label` is its name there. */
export function Rows({ label, columns, all, numbers = [], actions, children }: Props) {
  return (
    <table className="rows" aria-label={label}>
      <thead>
        <tr>
          {all && (
            <th scope="col" className="all">
              {all}
            </th>
          )}
          {columns.map((name) => (
            <th key={name} scope="col" style={numbers.includes(name) ? { textAlign: 'end' } : undefined}>
              {name}
            </th>
          ))}
          {actions !== undefined && (
            <th scope="col" className="actions">
              <VisuallyHidden>{actions}</VisuallyHidden>
            </th>
          )}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  )
}
