import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { type Role, useMay } from '../session.ts'

/** Says to those who may not do something why it is missing on the screen. */
export function RoleNote({ needed, children }: { needed: Role; children: string }) {
  return useMay(needed) ? null : (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  )
}

/** Fields of a form that a viewer reads and cannot change. */
export function MemberFields({ children }: { children: ReactNode }) {
  if (useMay('member')) return children
  return (
    <fieldset disabled className="read-only">
      {children}
    </fieldset>
  )
}
