import { lazy } from 'react'
import { useParams } from 'wouter'
import { useWords } from '../../language.ts'
import { Loaded } from '../../parts/loaded.tsx'
import { PartTabs } from '../../parts/part-tabs.tsx'
import { RoleNote } from '../../parts/role-note.tsx'
import { Screen } from '../../parts/screen.tsx'
import { useMay } from '../../session.ts'
import { NotFoundScreen } from '../not-found.tsx'
import { roleWords } from './role-words.ts'
import { words } from './words.ts'

/** The parts by their name in the address. */
const parts = {
  account: lazy(() => import('./account.tsx')),
  users: lazy(() => import('./users.tsx')),
  security: lazy(() => import('./security.tsx')),
  audit: lazy(() => import('./audit.tsx')),
}
type PartName = keyof typeof parts

export default function SettingsScreen() {
  const text = useWords(words)
  const role = useWords(roleWords)
  const { part = 'account' } = useParams<{ part?: string }>()
  const isOwner = useMay('owner')
  const shown = (Object.keys(parts) as PartName[]).filter((name) => isOwner || name !== 'audit')
  if (!Object.hasOwn(parts, part)) return <NotFoundScreen />
  const Part = parts[part as PartName]
  const tabs = shown.map((name) => ({
    name,
    path: name === 'account' ? '/settings' : `/settings/${name}`,
    title: text.parts[name],
  }))
  return (
    <Screen title={text.title} part={text.parts[part as PartName]}>
      <PartTabs label={text.partsLabel} value={part} tabs={tabs} />
      {shown.some((name) => name === part) ? (
        <Loaded>
          <Part key={part} />
        </Loaded>
      ) : (
        <RoleNote needed="owner">{role.onlyOwnersAudit}</RoleNote>
      )}
    </Screen>
  )
}
