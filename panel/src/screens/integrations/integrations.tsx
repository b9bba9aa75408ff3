import { lazy } from 'react'
import { useParams } from 'wouter'
import { useWords } from '../../language.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { PartTabs } from '../../parts/part-tabs.tsx'
import { Screen } from '../../parts/screen.tsx'
import { words as common } from '../../parts/words.ts'
import { NotFoundScreen } from '../not-found.tsx'
import { FreshKeyDialog } from './keys/fresh-key.tsx'
import { words } from './words.ts'

/** The parts by their name in the address. */
const parts = {
  keys: lazy(() => import('./keys/keys.tsx')),
  webhooks: lazy(() => import('./webhooks/webhooks.tsx')),
  history: lazy(() => import('./history/history.tsx')),
  reference: lazy(() => import('./reference/reference.tsx')),
}
type PartName = keyof typeof parts

export default function IntegrationsScreen() {
  const { integrations } = useWords(common)
  const text = useWords(words)
  const { part = 'keys' } = useParams<{ part?: string }>()
  if (!Object.hasOwn(parts, part)) return <NotFoundScreen />
  const Part = parts[part as PartName]
  const tabs = (Object.keys(parts) as PartName[]).map((name) => ({
    name,
    path: name === 'keys' ? '/integrations' : `/integrations/${name}`,
    title: text[name],
  }))
  return (
    <Screen title={integrations} part={text[part as PartName]}>
      <PartTabs label={text.parts} value={part} tabs={tabs} />
      <Loaded>
        <Part key={part} />
      </Loaded>
      <FreshKeyDialog />
    </Screen>
  )
}
