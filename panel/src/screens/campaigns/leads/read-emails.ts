import type { Options } from 'csv-parse/browser/esm'
import { withoutMark } from '../../../parts/csv.ts'

/** A file as it is to be read: which column has the emails, and whether its first line is a heading. */
export type CsvFile = { file: File; column: number; hasHeader: boolean }

/** One line of the file: what its column of emails has, or nothing where the line is not well formed. */
export type EmailLine = { line: number; email: string | undefined; isMalformed: boolean }

/** The first lines of a file: `headings` where it has some, and which column is likely to have the emails. */
export type Head = { headings: string[] | null; rows: string[][]; column: number | null }

/** What some programs put before the heading, to tell Excel what separates. */
const separatorLine = /^sep=([,;\t|])[\r\n]/i

const rowsShown = 10
const headBytes = 65_536

/** Headings of a column of emails, without accents, spaces and hyphens. */
const usualHeadings = ['email', 'emailaddress', 'adresemail', 'mail', 'emailadres', 'adrespocztyelektronicznej']
/** Columns of the file of refused rows, beside the email. */
export const refusedFacts = ['reason', 'line']
/** Columns of our own files, which have marked what spreadsheets take for formulas. */
const ownFacts = [['setByHand', 'registeredAt', 'ref'], refusedFacts]
const looksLikeEmail = (cell: string) => /^\s*[^\s@]+@[^\s@]+\s*$/.test(cell)

/** The first ten rows, for people to see what is what. Null where there are none. @throws where it cannot be read */
export async function readHead(file: File): Promise<Head | null> {
  const text = new TextDecoder(await encodingOf(file)).decode(await file.slice(0, headBytes).arrayBuffer())
  const { parse } = await import('csv-parse/browser/esm')
  // The parser cannot end where it was given nothing.
  if (text === '') return null
  const read: string[][] = []
  const parser = parse(optionsFor(text))
  parser.on('data', ({ record }: { record: string[] }) => read.push(record))
  const ended = new Promise<void>((resolve, reject) => parser.on('end', resolve).on('error', reject))
  parser.end(text.replaceAll(lineEnd, '\n'))
  await ended
  const rows = read.slice(0, rowsShown + 1)
  const [first] = rows
  if (first === undefined) return null
  const hasHeader = !first.some(looksLikeEmail)
  const shown = hasHeader ? rows.slice(1) : rows.slice(0, rowsShown)
  return { headings: hasHeader ? first : null, rows: shown, column: likelyColumn(hasHeader ? first : [], shown) }
}

/** The one that is named like it, or else the one with the most addresses. */
function likelyColumn(headings: string[], rows: string[][]): number | null {
  const names = headings.map(plain)
  const exact = usualHeadings.map((name) => names.indexOf(name)).find((column) => column !== -1)
  if (exact !== undefined) return exact
  const width = Math.max(0, ...rows.map((row) => row.length))
  const counts = Array.from({ length: width }, (_, column) => rows.filter((row) => looksLikeEmail(row[column] ?? '')))
  const most = Math.max(0, ...counts.map((found) => found.length))
  if (most > 0) return counts.findIndex((found) => found.length === most)
  const alike = names.findIndex((name) => name.includes('email'))
  return alike === -1 ? null : alike
}

function plain(heading: string): string {
  return heading
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z]/g, '')
}

/**
 * The lines of a CSV file, some at a time, read as `lastcall lead import` does, which wants a heading
 * `email`, and stops at a quote that nothing closes; here that is one refused line. `onRead` is told how many bytes have
 * been read. @throws what the browser throws where it cannot read the file
 */
export async function* emailLines(
  { file, column, hasHeader }: CsvFile,
  onRead: (bytes: number) => void,
): AsyncGenerator<EmailLine[], void> {
  const { parse } = await import('csv-parse/browser/esm')
  let lines: EmailLine[] = []
  let isHeaderRead = !hasHeader
  let isOurs = false
  const decoder = new TextDecoderStream(await encodingOf(file))
  const reader = file.stream().pipeThrough(decoder).pipeThrough(unixLines()).getReader()
  // Browsers read 64 KiB at once: the first piece has the first line whole, as far as one may be long.
  let piece = await reader.read()
  // The parser cannot end where it was given nothing.
  if (piece.done) return
  let lastLine = 0
  let isBroken = false
  const parser = parse({
    ...optionsFor(piece.value),
    on_record: (record, { lines: line }) => {
      lastLine = line
      return record
    },
    // A line that is too long, or a quote that is not closed: the parser finds no next line behind it.
    on_skip: () => {
      if (!isBroken) lines.push({ line: lastLine + 1, email: undefined, isMalformed: true })
      isBroken = true
    },
  })
  const ended = new Promise<void>((resolve, reject) => {
    parser.on('end', resolve)
    parser.on('error', reject)
  })
  // A reader that is stopped in the middle never ends: do not wait for it.
  ended.catch(() => {})
  parser.on('data', ({ record, info }: { record: string[]; info: { lines: number } }) => {
    const email = record[column]
    if (isHeaderRead) {
      lines.push({ line: info.lines, email: email && isOurs ? withoutMark(email) : email, isMalformed: false })
    } else isOurs = ownFacts.some((facts) => facts.every((name) => record.includes(name)))
    isHeaderRead = true
  })
  const taken = () => {
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
  onRead(file.size)
  yield taken()
}

function optionsFor(head: string): Options {
  const named = separatorLine.exec(head)?.[1]
  return {
    delimiter: named ?? delimiterOf(head),
    from_line: named === undefined ? 1 : 2,
    bom: true,
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: 65_536,
    skip_records_with_error: true,
  }
}

/** Some spreadsheets write UTF-16, which the mark at its beginning tells. */
async function encodingOf(file: File): Promise<string> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer())
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

const lineEnd = /\r\n?/g

/**
 * The parser takes the end of the first line for that of all, and counts one of two characters twice where it stands
 * within quotes.
 */
function unixLines(): TransformStream<string, string> {
  let kept = ''
  return new TransformStream({
    transform(chunk, controller) {
      const text = kept + chunk
      kept = text.endsWith('\r') ? '\r' : ''
      const whole = text.slice(0, text.length - kept.length).replaceAll(lineEnd, '\n')
      if (whole !== '') controller.enqueue(whole)
    },
    flush(controller) {
      if (kept !== '') controller.enqueue('\n')
    },
  })
}

/**
 * Spreadsheets separate by semicolons where the comma stands in numbers, and some by tabs. The first line tells: it may
 * have the others in a heading or a name, but then they do not leave the email alone.
 */
function delimiterOf(head: string): string {
  // Before the line is looked for: a heading in quotes may have a line break, too.
  const [line = ''] = /[^\r\n]+/.exec(head.replaceAll(/"[^"]*"/g, '')) ?? []
  const found = [',', ';', '\t'].filter((one) => line.includes(one))
  const isEmail = (cell: string) => usualHeadings.includes(plain(cell)) || (looksLikeEmail(cell) && !/[,;]/.test(cell))
  return found.find((one) => line.split(one).some(isEmail)) ?? found[0] ?? ','
}
