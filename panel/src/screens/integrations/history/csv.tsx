import { Button, Group, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import { type CallFailed, call } from '../../../api.ts'
import { useWords } from '../../../language.ts'
import { download } from '../../../parts/download.ts'
import { Failure } from '../../../parts/failure.tsx'
import { ownZone, todayIn } from '../../../parts/local-time.ts'
import type { Entry } from './use-history.ts'
import { queryOf, type Wanted } from './wanted.ts'
import { words } from './words.ts'

/** Lines of one file: what a spreadsheet still takes, and a browser's memory too. */
const mostLines = 100_000

const columns = ['time', 'request_id', 'key_id', 'operation', 'campaign_id', 'status', 'error_code', 'milliseconds']

/** No value of ours has a comma, a quote, or a sign that a spreadsheet would take for a formula. */
function lineOf({ atMs, requestId, keyId, operation, campaignId, status, errorCode, milliseconds }: Entry) {
  const time = new Date(atMs).toISOString()
  return [time, requestId, keyId, operation ?? '', campaignId ?? '', status, errorCode ?? '', milliseconds].join(',')
}

type State = { lines: number; isRunning: boolean; isCut: boolean; error: CallFailed | null }
const idle: State = { lines: 0, isRunning: false, isCut: false, error: null }

/** All entries that the filters let through, in a file; read page by page, with the number of lines so far. */
export function CsvExport({ wanted }: { wanted: Wanted }) {
  const text = useWords(words)
  const [state, setState] = useState(idle)
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])
  const run = async () => {
    const stop = new AbortController()
    running.current = stop
    setState({ ...idle, isRunning: true })
    try {
      const read = (lines: number) => setState({ ...idle, isRunning: true, lines })
      const { lines, isCut } = await readLines(wanted, stop.signal, read)
      const text = [columns.join(','), ...lines].map((line) => `${line}\r\n`).join('')
      const name = `lastcall-requests-${todayIn(ownZone)}.csv`
      download(new Blob([text], { type: 'text/csv' }), name)
      setState({ ...idle, lines: lines.length, isCut })
    } catch (error) {
      setState(stop.signal.aborted ? idle : { ...idle, error: error as CallFailed })
    }
  }
  const { isRunning, lines, isCut, error } = state
  return (
    <>
      <Group gap="sm" justify="end">
        <Text size="sm" c="dimmed" role="status">
          {isRunning ? text.csvReading(lines) : isCut ? text.csvCut(lines) : ''}
        </Text>
        {isRunning ? (
          <Button size="compact-sm" variant="default" onClick={() => running.current?.abort()}>
            {text.stop}
          </Button>
        ) : (
          <Button size="compact-sm" variant="default" onClick={run}>
            {text.csv}
          </Button>
        )}
      </Group>
      <Failure of={{ error }} />
    </>
  )
}

async function readLines(wanted: Wanted, signal: AbortSignal, onRead: (lines: number) => void) {
  const lines: string[] = []
  let before: string | null = null
  do {
    const query = { ...queryOf(wanted), limit: '1000' as const, ...(before !== null && { before }) }
    const page: { entries: Entry[]; next: string | null } = await call('GET /history', { query }, signal)
    lines.push(...page.entries.map(lineOf))
    before = page.next
    onRead(lines.length)
  } while (before !== null && lines.length < mostLines)
  return { lines, isCut: before !== null }
}
