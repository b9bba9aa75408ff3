import { Center, Loader } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'
import { useLocation } from 'wouter'
import { Boundary } from './boundary.tsx'

/** What is loaded when it is first opened: until it is there, and where it does not come or breaks. */
export function Loaded({ children }: { children: ReactNode }) {
  const [location] = useLocation()
  return (
    <Boundary at={location}>
      <Suspense fallback={<Waiting />}>{children}</Suspense>
    </Boundary>
  )
}

export function Waiting() {
  return (
    <Center mih={240} role="status" aria-label="…">
      <Loader />
    </Center>
  )
}
