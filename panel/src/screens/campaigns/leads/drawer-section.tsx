import { Stack, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import type { AnswerOf } from '../../../api.ts'

export type WholeLead = AnswerOf<'GET /campaigns/:campaignId/leads/:ref'>

/** A part of the drawer of one lead, under a heading of its own. */
export function DrawerSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="sm">
      <Title order={3} size="h4">
        {title}
      </Title>
      {children}
    </Stack>
  )
}
