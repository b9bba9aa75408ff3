import type { CsvError } from 'csv-parse/browser/esm'

/** One line of the file: what stands in its column `email`, or nothing where it is not well formed. */
export type EmailLine = { line: number; email: string | undefined; isMalformed: boolean }

export class NoEmailColumn extends Error {
  override name = 'NoEmailColumn'
}

/**
 * The lines of a CSV file, some at a time, by the rules of `lastcall lead import`. `onRead` is told how many bytes
 * have been read. @throws NoEmailColumn, and what the browser throws where it cannot read the file
 */
export async function* emailLines(file: File, onRead: (bytes: number) => void): AsyncGenerator<EmailLine[], void> {
  const { parse } = await import('csv-parse/browser/esm')
  let lines: EmailLine[] = []
  let column = -1
  let isHeaderRead = false
  const reader = file.stream().pipeThrough(new TextDecoderStream()).pipeThrough(unixLines()).getReader()
  // Browsers read 64 KiB at once: the first piece has the first line whole, as far as one may be long.
  let piece = await reader.read()
  // The parser cannot end where it was given nothing.
  if (piece.done) throw new NoEmailColumn()
  const parser = parse({
    delimiter: delimiterOf(piece.value),
    bom: true,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: 65_536,
    skip_records_with_error: true,
    on_skip: (error: CsvError | undefined) => {
      lines.push({ line: Number(error?.lines ?? 0), email: undefined, isMalformed: true })
    },
  })
  const ended = new Promise<void>((resolve, reject) => {
    parser.on('end', resolve)
    parser.on('error', reject)
  })
  // A reader that is stopped in the middle never ends: do not wait for it.
  ended.catch(() => {})
  parser.on('data', ({ record, info }: { record: string[]; info: { lines: number } }) => {
    if (isHeaderRead) {
      lines.push({ line: info.lines, email: record[column], isMalformed: false })
      return
    }
    isHeaderRead = true
    column = record.indexOf('email')
  })
  const taken = () => {
    if (isHeaderRead && column === -1) throw new NoEmailColumn()
    const some = lines
    lines = []
    return some
  }
  let read = 0
  for (; !piece.done; piece = await reader.read()) {
    const { value } = piece
    await new Promise<void>((resolve) => parser.write(value, () => resolve()))
    // Characters for bytes: nearly always the same, and never more.
    read = Math.min(file.size, read + value.length)
    onRead(read)
    yield taken()
  }
  parser.end()
  await ended
  if (!isHeaderRead) throw new NoEmailColumn()
  onRead(file.size)
  yield taken()
}

/** The parser counts a line break of two characters twice where it stands within quotes. */
function unixLines(): TransformStream<string, string> {
  let kept = ''
  return new TransformStream({
    transform(chunk, controller) {
      const text = kept + chunk
      kept = text.endsWith('\r') ? '\r' : ''
      const whole = text.slice(0, text.length - kept.length).replaceAll('\r\n', '\n')
      if (whole !== '') controller.enqueue(whole)
    },
    flush(controller) {
      if (kept !== '') controller.enqueue(kept)
    },
  })
}

/** Spreadsheets separate by semicolons where the comma stands in numbers; the first line tells. */
function delimiterOf(head: string): ',' | ';' {
  const [line = ''] = /[^\r\n]+/.exec(head) ?? []
  const unquoted = line.replace(/"[^"]*"/g, '')
  return unquoted.includes(';') && !unquoted.includes(',') ? ';' : ','
}
