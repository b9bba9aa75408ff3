import { Text } from '@mantine/core'
import type { Role } from '../../../src/core/role.ts'
import { useMay } from '../session.ts'

/** Says to those who may not do something why it is missing on the screen. */
export function RoleNote({ needed, children }: { needed: Role; children: string }) {
  return useMay(needed) ? null : (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  )
}
