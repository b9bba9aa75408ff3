import { Button, Group, Text } from '@mantine/core'
import { useEffect, useRef, useState } from 'react'
import type { CallFailed } from '../api.ts'
import { useWords } from '../language.ts'
import { type Cell, csvFile, csvLine } from './csv.ts'
import { download } from './download.ts'
import { Failure } from './failure.tsx'
import { ownZone, todayIn } from './local-time.ts'
import { words } from './words.ts'

type Place = { limit: '1000'; before?: string }

type Props<Entry> = {
  read(place: Place, signal: AbortSignal): Promise<{ entries: Entry[]; next: string | null }>
  name: string
  columns: readonly string[]
  cellsOf(entry: Entry): readonly Cell[]
  file?(lines: readonly string[]): Blob
  /** The most lines of one file, and what is said where others are left out. */
  limit?: { lines: number; said(lines: number): string }
  isAtEnd?: boolean
}

type State = { lines: number; isRunning: boolean; isCut: boolean; error: CallFailed | null }
const idle: State = { lines: 0, isRunning: false, isCut: false, error: null }

/** A whole list in a file; read page by page, with the number of lines so far. */
export function CsvButton<Entry>({ read, name, columns, cellsOf, file = csvFile, limit, isAtEnd }: Props<Entry>) {
  const text = useWords(words)
  const [{ isRunning, lines, isCut, error }, setState] = useState(idle)
  const running = useRef<AbortController>(null)
  useEffect(() => () => running.current?.abort(), [])
  const run = async () => {
    const stop = new AbortController()
    running.current = stop
    const lines: string[] = []
    let before: string | null = null
    try {
      do {
        setState({ ...idle, isRunning: true, lines: lines.length })
        const page = await read({ limit: '1000', ...(before !== null && { before }) }, stop.signal)
        lines.push(...page.entries.map((entry) => csvLine(cellsOf(entry))))
        before = page.next
      } while (before !== null && lines.length < (limit?.lines ?? Number.POSITIVE_INFINITY))
      download(file([csvLine(columns), ...lines]), `lastcall-${name}-${todayIn(ownZone)}.csv`)
      setState({ ...idle, lines: lines.length, isCut: before !== null })
    } catch (error) {
      setState(stop.signal.aborted ? idle : { ...idle, error: error as CallFailed })
    }
  }
  return (
    // What is said is on the other side of the button, which stays where it was pressed.
    <Group gap="sm" style={{ flexDirection: isAtEnd ? 'row-reverse' : 'row' }}>
      <Button size="compact-sm" variant="default" onClick={isRunning ? () => running.current?.abort() : run}>
        {isRunning ? text.stop : text.csv}
      </Button>
      {/* Screen readers do not say how far it got at each of a hundred steps. */}
      <Text size="sm" c="dimmed" role="status" aria-busy={isRunning}>
        {isRunning ? text.csvReading(lines) : isCut && limit?.said(lines)}
      </Text>
      <Failure of={{ error }} />
    </Group>
  )
}
