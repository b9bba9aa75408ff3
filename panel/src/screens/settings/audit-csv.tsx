import { call } from '../../api.ts'
import { CsvButton } from '../../parts/csv-button.tsx'
import type { AuditEntry, AuditQuery } from './audit-query.ts'

const columns = [
  ...['id', 'time', 'actor_kind', 'actor', 'address', 'action', 'subject_kind', 'subject_id', 'subject'],
  ...['before', 'after'],
]

function cellsOf({ id, at, actor, address, action, subject, before, after }: AuditEntry) {
  const json = (settings: object | null) => settings && withinCell(JSON.stringify(settings))
  return [
    ...[id, new Date(at * 1_000).toISOString(), actor.kind, actor.name, address, action],
    ...[subject.kind, subject.id, withinCell(subject.name), json(before), json(after)],
  ]
}

/**
 * A spreadsheet that separates by semicolons begins a cell at each of them, and a line at each line end: for it the
 * quotes around our cell stand in the middle of another one. Nobody imports this file again.
 */
const withinCell = (text: string) => text.replace(/[;\r\n](?=['"]*[=+\-@\t])/g, "$&'")

/** All entries that the filters let through. */
export function AuditCsv({ query }: { query: AuditQuery }) {
  return (
    <CsvButton
      name="audit"
      read={(place, signal) => call('GET /audit', { query: { ...query, ...place } }, signal)}
      {...{ columns, cellsOf }}
    />
  )
}
