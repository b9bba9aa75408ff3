import { Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { title: string; note?: string; order?: 2 | 3; isLandmark?: boolean; children: ReactNode }

/** A part of a screen, in a frame and under a heading of its own. */
export function Section({ title, note, order = 2, isLandmark = false, children }: Props) {
  return (
    <Paper withBorder p={{ base: 'md', sm: 'lg' }} component="section" {...(isLandmark && { 'aria-label': title })}>
      {/* Beside another one in a row, what it ends with stands at its foot by `mt="auto"`. */}
      <Stack h="100%">
        <div>
          <Title order={order} size="h4">
            {title}
          </Title>
          {note !== undefined && (
            <Text size="sm" c="dimmed">
              {note}
            </Text>
          )}
        </div>
        {children}
      </Stack>
    </Paper>
  )
}
