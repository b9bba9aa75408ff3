import { Group, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { type CallFailed, call } from '../../api.ts'
import { useWords } from '../../language.ts'
import { BusyButton } from '../../parts/busy-button.tsx'
import { csvFile, csvLine } from '../../parts/csv.ts'
import { download } from '../../parts/download.ts'
import { Failure } from '../../parts/failure.tsx'
import { ownZone, todayIn } from '../../parts/local-time.ts'
import type { AuditEntry, AuditPage, AuditQuery } from './audit-query.ts'
import { words } from './audit-words.ts'

const columns = [
  ...['id', 'time', 'actor_kind', 'actor', 'address', 'action', 'subject_kind', 'subject_id', 'subject'],
  ...['before', 'after'],
]

function lineOf({ id, at, actor, address, action, subject, before, after }: AuditEntry): string {
  const json = (settings: object | null) => settings && JSON.stringify(settings)
  return csvLine([
    ...[id, new Date(at * 1_000).toISOString(), actor.kind, actor.name, address, action],
    ...[subject.kind, subject.id, subject.name, json(before), json(after)],
  ])
}

/** All entries that the filters let through, read page by page. */
export function AuditCsv({ query }: { query: AuditQuery }) {
  const text = useWords(words)
  const [count, setCount] = useState<number>()
  const [error, setError] = useState<CallFailed | null>(null)
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])
  const run = async () => {
    const stop = new AbortController()
    running.current = stop
    setError(null)
    setCount(0)
    try {
      const lines = await readLines(query, stop.signal, setCount)
      download(csvFile([csvLine(columns), ...lines]), `lastcall-audit-${todayIn(ownZone)}.csv`)
    } catch (reason) {
      if (!stop.signal.aborted) setError(reason as CallFailed)
    }
    setCount(undefined)
  }
  return (
    <Group gap="sm">
      <BusyButton size="compact-sm" isBusy={count !== undefined} onClick={run}>
        {text.csv}
      </BusyButton>
      <Text size="sm" c="dimmed" role="status">
        {count !== undefined && text.csvReading(count)}
      </Text>
      <Failure of={{ error }} />
    </Group>
  )
}

async function readLines(query: AuditQuery, signal: AbortSignal, onRead: (lines: number) => void) {
  const lines: string[] = []
  let before: string | null = null
  do {
    const asked = { ...query, limit: '1000' as const, ...(before !== null && { before }) }
    const page: AuditPage = await call('GET /audit', { query: asked }, signal)
    lines.push(...page.entries.map(lineOf))
    before = page.next
    onRead(lines.length)
  } while (before !== null)
  return lines
}
