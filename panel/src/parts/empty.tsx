import { Paper, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'

/** Stands where a list has nothing: says why, and what to do. */
export function Empty({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <Paper withBorder p="xl">
      <Stack align="center" gap="md">
        <Text c="dimmed" ta="center">
          {text}
        </Text>
        {children}
      </Stack>
    </Paper>
  )
}
