import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** What is known of one thing, each with its name. */
export function Facts({ of }: { of: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <Stack component="dl" gap="xs" m={0}>
      {of.map(([name, value]) => (
        <Group key={name} gap="xs" wrap="nowrap" align="start">
          <Text component="dt" size="sm" c="dimmed" w={120} style={{ flexShrink: 0 }}>
            {name}
          </Text>
          <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
            {value}
          </Text>
        </Group>
      ))}
    </Stack>
  )
}
