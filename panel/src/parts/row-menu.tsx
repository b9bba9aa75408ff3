import { ActionIcon, Menu } from '@mantine/core'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useOpenAfter } from './open-after.ts'

/** The button of a menu alone, until it is pressed: fifty whole menus take a phone half a second. */
export function RowMenuButton({ label, children }: { label: string; children: ReactNode }) {
  const [isPressed, setPressed] = useState(false)
  if (isPressed) return children
  return (
    <ActionIcon {...looks} aria-label={label} aria-haspopup="menu" onClick={() => setPressed(true)}>
      ⋯
    </ActionIcon>
  )
}

const looks = { variant: 'default', size: 'lg' } as const

type RowAction = { name: string; isDangerous?: boolean; disabled?: boolean; onClick(): void }

type Props = {
  label: string
  actions: RowAction[]
  disabled?: boolean
  loading?: boolean
  /** Where its button has been pressed already. */
  isOpen?: boolean
}

/** What can be done with one row of a list, if there is anything. */
export function RowMenu({ label, actions, disabled = false, loading = false, isOpen = false }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  const [isShown, setShown] = useOpenAfter(isOpen)
  useEffect(() => {
    if (!loading) return undefined
    // A button that waits is disabled, which hands the focus to the page.
    return () => {
      if (document.activeElement === document.body) button.current?.focus()
    }
  }, [loading])
  if (actions.length === 0) return null
  const change = (isOpen: boolean) => {
    // The dialog that an action opens gives the focus back to whatever had it: that is to be this button.
    if (!isOpen) button.current?.focus()
    setShown(isOpen)
  }
  return (
    <Menu
      opened={isShown}
      onChange={change}
      // It would do so a moment later, and take it from the field that an action has shown.
      returnFocus={false}
      position="bottom-end"
      withInitialFocusPlaceholder={false}
      // Within the page's main part, where screen readers look for it.
      portalProps={{ target: '#content' }}
    >
      <Menu.Target>
        <ActionIcon ref={button} {...looks} aria-label={label} autoFocus={isOpen} {...{ disabled, loading }}>
          ⋯
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map(({ name, isDangerous, ...item }) => (
          <Menu.Item key={name} {...(isDangerous && { c: 'var(--mantine-color-error)' })} {...item}>
            {name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
