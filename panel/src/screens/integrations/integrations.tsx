import './integrations.css'
import { Center, Loader, Tabs } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { useLocation, useParams } from 'wouter'
import { useWords } from '../../language.ts'
import { Screen } from '../../parts/screen.tsx'
import { words as common } from '../../parts/words.ts'
import { NotFoundScreen } from '../not-found.tsx'
import { FreshKeyDialog } from './keys/fresh-key.tsx'
import { words } from './words.ts'

/** The parts by their name in the address. */
const parts = {
  keys: lazy(() => import('./keys/keys.tsx')),
  history: lazy(() => import('./history/history.tsx')),
  reference: lazy(() => import('./reference/reference.tsx')),
}
type PartName = keyof typeof parts

export default function IntegrationsScreen() {
  const { integrations } = useWords(common)
  const { part = 'keys' } = useParams<{ part?: string }>()
  if (!Object.hasOwn(parts, part)) return <NotFoundScreen />
  const Part = parts[part as PartName]
  return (
    <Screen title={integrations}>
      <PartTabs part={part as PartName} />
      <Suspense fallback={<Waiting />}>
        <Part key={part} />
      </Suspense>
      <FreshKeyDialog />
    </Screen>
  )
}

function PartTabs({ part }: { part: PartName }) {
  const text = useWords(words)
  const [, go] = useLocation()
  return (
    <Tabs value={part} onChange={(next) => go(next === 'keys' ? '/integrations' : `/integrations/${next}`)}>
      <Tabs.List aria-label={text.parts}>
        {(Object.keys(parts) as PartName[]).map((name) => (
          <Tabs.Tab key={name} value={name}>
            {text[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  )
}

function Waiting() {
  return (
    <Center mih={240} role="status" aria-label="…">
      <Loader />
    </Center>
  )
}
