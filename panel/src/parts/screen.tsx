import { Group, Stack, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'

/** It tells apart tabs of the browser, and the steps of its Back: where a screen has parts, the part comes first. */
export function useWindowTitle(...names: (string | undefined)[]): void {
  useDocumentTitle([...names.filter((name) => name !== undefined), 'Lastcall'].join(' – '))
}

type Props = { title: string; part?: string | undefined; actions?: ReactNode; children: ReactNode }

/** One screen: its name as heading and in the window's title, and what can be done on it. */
export function Screen({ title, part, actions, children }: Props) {
  useWindowTitle(part, title)
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
