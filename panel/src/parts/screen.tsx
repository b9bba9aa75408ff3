import { Group, Stack, Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'

/** One screen: its name as heading and in the window's title, and what can be done on it. */
export function Screen({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} – Lastcall`
  }, [title])
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="center">
        <Title order={1} size="h2">
          {title}
        </Title>
        {actions !== undefined && <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  )
}
