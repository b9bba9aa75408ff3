import { Skeleton, Stack } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'
import { useLocation } from 'wouter'
import { useWords } from '../language.ts'
import { Boundary } from './boundary.tsx'
import { words } from './words.ts'

/** What is loaded when it is first opened: until it is there, and where it does not come or breaks. */
export function Loaded({ children }: { children: ReactNode }) {
  const [location] = useLocation()
  return (
    <Boundary at={location}>
      <Suspense fallback={<Waiting />}>{children}</Suspense>
    </Boundary>
  )
}

/** Stands where something is being read, as high as a screen: what is there then moves nothing. */
export function Waiting({ height = '70vh' }: { height?: number | string }) {
  const { loading } = useWords(words)
  return (
    <Stack role="status" aria-label={loading} gap="sm" mih={height}>
      {[32, 96, 96].map((h, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are always the same.
        <Skeleton key={index} h={h} w={index === 0 ? '40%' : '100%'} />
      ))}
    </Stack>
  )
}
