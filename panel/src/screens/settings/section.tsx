import { Paper, Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** A part of the settings under a heading of its own. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="lg" component="section">
      <Stack>
        <Title order={2} size="h3">
          {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  )
}
