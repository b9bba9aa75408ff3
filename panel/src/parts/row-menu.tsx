import { ActionIcon, Menu } from '@mantine/core'
import { useRef } from 'react'

export type RowAction = { name: string; isDangerous?: boolean; onClick(): void }

type Props = { label: string; actions: RowAction[]; disabled?: boolean; loading?: boolean }

/** What can be done with one row of a list, if there is anything. */
export function RowMenu({ label, actions, disabled = false, loading = false }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  if (actions.length === 0) return null
  return (
    <Menu
      position="bottom-end"
      withInitialFocusPlaceholder={false}
      // Within the page's main part, where screen readers look for it.
      portalProps={{ target: '#content' }}
    >
      <Menu.Target>
        <ActionIcon ref={button} variant="default" size="lg" aria-label={label} {...{ disabled, loading }}>
          ⋯
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ name, isDangerous, onClick }) => (
          <Menu.Item
            key={name}
            {...(isDangerous && { c: 'var(--mantine-color-error)' })}
            onClick={() => {
              // A dialog gives the focus back to what had it, and the item is gone by then.
              button.current?.focus()
              onClick()
            }}
          >
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
