import { Button, FileInput, NativeSelect, Stack, Table, Text } from '@mantine/core'
import { useRef, useState } from 'react'
import { useWords } from '../../../language.ts'
import type { Importing } from './importing.ts'
import { type CsvFile, type Head, readHead } from './read-emails.ts'
import { type LeadWords, words } from './words.ts'

type Trouble = Importing['trouble'] | 'noRows' | 'notLoaded'
type Props = { trouble: Trouble; onChange(): void; onStart(csv: CsvFile): void }

/** Browsers throw a TypeError for what reads files where it did not load, and do not load it again by themselves. */
const troubleOf = (error: unknown) => (error instanceof TypeError ? 'notLoaded' : 'unreadable')

/** The file, and by its first rows which column has the emails. */
export function ChooseFile({ trouble, onChange, onStart }: Props) {
  const text = useWords(words)
  const [file, setFile] = useState<File | null>(null)
  const [head, setHead] = useState<Head | null>(null)
  const [column, setColumn] = useState<number | null>(null)
  const [fault, setFault] = useState<Trouble>(null)
  const resetInput = useRef<() => void>(null)
  const chosen = useRef<File>(null)
  const choose = async (next: File | null) => {
    onChange()
    setFile(next)
    chosen.current = next
    // Until its own are read: the rows and the column of the file before say nothing about this one.
    setHead(null)
    setColumn(null)
    // Browsers do not tell that the same file was chosen again, which may have been corrected meanwhile.
    resetInput.current?.()
    const found = next === null ? null : await readHead(next).catch(troubleOf)
    // The one before may be read later.
    if (chosen.current !== next) return
    const isFound = found !== null && typeof found !== 'string'
    setHead(isFound ? found : null)
    setColumn(isFound ? found.column : null)
    setFault(isFound || next === null ? null : (found ?? 'noRows'))
  }
  const wrong = trouble ?? fault
  const start = () => {
    if (file !== null && head !== null && column !== null) onStart({ file, column, hasHeader: head.headings !== null })
  }
  return (
    <>
      <Text size="sm">{text.importText}</Text>
      <FileInput
        label={text.importFile}
        data-autofocus
        placeholder={text.importPick}
        accept=".csv,text/csv,text/plain"
        value={file}
        error={wrong === null ? undefined : text[wrong]}
        onChange={choose}
        resetRef={resetInput}
      />
      {head !== null && <ChooseColumn head={head} column={column} onChange={setColumn} />}
      <Button disabled={column === null} onClick={start}>
        {text.importDo}
      </Button>
    </>
  )
}

type ColumnProps = { head: Head; column: number | null; onChange(column: number | null): void }

function ChooseColumn({ head, column, onChange }: ColumnProps) {
  const text = useWords(words)
  const names = columnNames(head, text)
  const body = head.rows.map((row) => names.map((_, index) => row[index]?.slice(0, 60)))
  const none = { value: '', label: text.chooseColumn }
  return (
    <Stack gap="xs">
      <NativeSelect
        label={text.emailColumn}
        data={[...(column === null ? [none] : []), ...names.map((label, index) => ({ value: String(index), label }))]}
        value={column ?? ''}
        onChange={(event) => onChange(event.currentTarget.value === '' ? null : Number(event.currentTarget.value))}
      />
      <Table.ScrollContainer
        minWidth={280}
        maxHeight={240}
        // What scrolls has to be reached by keyboard.
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': text.firstRows } }}
      >
        <Table aria-label={text.firstRows} verticalSpacing={4} fz="xs" data={{ head: names, body }} />
      </Table.ScrollContainer>
    </Stack>
  )
}

/** By their headings; a column without one has its number. */
function columnNames({ headings, rows }: Head, text: LeadWords): string[] {
  const width = Math.max(headings?.length ?? 0, ...rows.map((row) => row.length))
  return Array.from({ length: width }, (_, index) => headings?.[index]?.trim().slice(0, 40) || text.column(index + 1))
}
