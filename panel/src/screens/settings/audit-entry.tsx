import { Drawer, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { useWords } from '../../language.ts'
import { Facts } from '../../parts/facts.tsx'
import { LeadLink } from '../../parts/lead-link.tsx'
import { TimeText } from '../../parts/time-text.tsx'
import { differencesOf } from './audit-differences.ts'
import type { AuditEntry } from './audit-query.ts'
import { words } from './audit-words.ts'

/** By the name that is kept, which may be an older one. */
type Named = Record<'actions' | 'subjects' | 'fields' | 'values', Record<string, string>>

/** What people call what stands in an entry. What has no name here is shown as it is kept. */
export function useNames() {
  const text = useWords(words)
  const { actions, subjects, fields, values }: Named = text
  return {
    action: (action: string) => actions[action] ?? action,
    actor: ({ kind, name }: AuditEntry['actor']) => (kind === 'user' ? name : `${name} (${text.actors[kind]})`),
    subject: ({ kind, name }: AuditEntry['subject']) => `${subjects[kind] ?? kind} ${name}`,
    path: (path: readonly string[]) => path.map((step) => fields[step] ?? step).join(' › '),
    value(value: unknown, path: readonly string[]) {
      if (value === undefined || value === null || value === '') return text.none
      if (typeof value === 'boolean') return value ? text.yes : text.no
      return values[`${path.at(-1)}.${value}`] ?? String(value)
    },
  }
}

/** One entry whole, with each setting that it changed. */
export function AuditDrawer({ of, onClose }: { of: AuditEntry | null; onClose(): void }) {
  const text = useWords(words)
  return (
    <Drawer opened={of !== null} onClose={onClose} title={text.entry}>
      {of !== null && <Entry of={of} />}
    </Drawer>
  )
}

function Entry({ of }: { of: AuditEntry }) {
  const text = useWords(words)
  const names = useNames()
  const facts: (readonly [string, ReactNode])[] = [
    [text.when, <TimeText key="when" at={of.at} withSeconds />],
    [text.who, names.actor(of.actor)],
    [text.what, names.action(of.action)],
    [text.which, names.subject(of.subject)],
    ...(of.lead === null ? [] : [[text.lead, <LeadLink key="lead" of={of.lead} erased={text.erased} />] as const]),
    ...(of.address === null ? [] : [[text.from, of.address] as [string, ReactNode]]),
  ]
  const differences = differencesOf(of.before, of.after)
  return (
    <Stack>
      <Facts of={facts} />
      <Title order={3} size="h5">
        {text.changes}
      </Title>
      {differences.length === 0 && <Text size="sm">{text.noChanges}</Text>}
      <Stack component="ul" p={0} m={0} gap="xs" style={{ listStyle: 'none' }}>
        {differences.map(({ path, before, after }) => (
          <Text component="li" size="sm" key={path.join('.')} style={{ overflowWrap: 'anywhere' }}>
            <Text span inherit c="dimmed">
              {names.path(path)}:
            </Text>{' '}
            {names.value(before, path)} → {names.value(after, path)}
          </Text>
        ))}
      </Stack>
    </Stack>
  )
}
