// Reads CSV files as spreadsheets and mail services write them.
import { Readable } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import { withoutMark } from '../core/csv.ts'
import { ownFacts } from '../leads/export.ts'
import { inputStream, nameOf } from './files.ts'
import { WrongCall } from './wrong-call.ts'

const maxLineBytes = 65_536

/**
 * The cells of `columns` in the lines below the heading, which must have what `wanted` says. The apostrophes of our own
 * files are removed. @throws WrongCall
 */
export async function* csvRows(
  file: string,
  columns: readonly string[],
  isComplete: (names: string[]) => boolean,
  wanted: string,
): AsyncGenerator<{ cells: Record<string, string | undefined>; line: number }> {
  let positions: [name: string, at: number][] | undefined
  let cellOf = (cell: string | undefined) => cell
  for await (const { record, line } of csvLines(file, columns)) {
    if (positions !== undefined) {
      yield { cells: Object.fromEntries(positions.map(([name, at]) => [name, cellOf(record[at])])), line }
      continue
    }
    const names = record.map((cell) => columnOf(cell, columns) ?? cell)
    if (!isComplete(names)) throw new WrongCall(`${nameOf(file)}: line ${line}: must name ${wanted}`)
    const twice = columns.find((name) => names.indexOf(name) !== names.lastIndexOf(name))
    if (twice !== undefined)
      throw new WrongCall(`${nameOf(file)}: line ${line}: must name the column "${twice}" only once`)
    positions = columns.map((name) => [name, names.indexOf(name)])
    if (ownFacts.some((facts) => facts.every((name) => record.includes(name))))
      cellOf = (cell) => cell && withoutMark(cell)
  }
  if (positions === undefined) throw new WrongCall(`${nameOf(file)}: must have a first line with ${wanted}`)
}

/** The column that a cell of the heading names, in capitals or not: spreadsheets write `Email`. */
const columnOf = (cell: string, columns: readonly string[]) =>
  columns.find((name) => name.toLowerCase() === cell.toLowerCase())

/** A line that some programs put before the heading, to tell Excel the separator. */
const separatorLine = /^sep=([,;\t|])\n/i

/** The lines of a CSV file. @throws WrongCall, also when lines cannot be told apart any more */
async function* csvLines(file: string, columns: readonly string[]): AsyncGenerator<{ record: string[]; line: number }> {
  let lastLine = 0
  try {
    const pieces = unixLines(inputStream(file))
    // The whole first line, unless it is too long.
    let head = ''
    while (head.length < maxLineBytes && !/[^\n]\n/.test(head)) {
      const { value, done } = await pieces.next()
      if (done) break
      head += value
    }
    const named = separatorLine.exec(head)?.[1]
    const parser = parse({
      delimiter: named ?? delimiterOf(head, columns),
      from_line: named === undefined ? 1 : 2,
      info: true,
      relax_column_count: true,
      // A stray quote is part of its field, or the lines after it would become part of it too.
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: maxLineBytes,
      on_record: (record, { lines }) => {
        lastLine = lines
        return record
      },
    })
    parser.write(head)
    const input = Readable.from(pieces)
    input.on('error', (error) => parser.destroy(error))
    input.pipe(parser)
    for await (const { record, info } of parser) yield { record, line: info.lines }
  } catch (error) {
    if (error instanceof WrongCall) throw error
    if (error instanceof CsvError) {
      const what = `more than ${maxLineBytes} characters, or a quote that is not closed`
      const then = 'correct it and import the file again: what is there already stays as it is'
      throw new WrongCall(`${nameOf(file)}: line ${lastLine + 1}: ${what}; ${then}`)
    }
    const { code, message } = error as NodeJS.ErrnoException
    throw new WrongCall(`${nameOf(file)}: cannot be read (${code ?? message})`)
  }
}

/**
 * The text of a file, without byte order mark, with line feeds only: the parser expects all lines to end as the first
 * does, and counts a line end of two characters twice within quotes.
 */
async function* unixLines(stream: NodeJS.ReadableStream): AsyncGenerator<string, undefined> {
  let decoder: TextDecoder | undefined
  let kept = ''
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    decoder ??= new TextDecoder(encodingOf(chunk))
    const text = kept + decoder.decode(chunk, { stream: true })
    kept = text.endsWith('\r') ? '\r' : ''
    yield text.slice(0, text.length - kept.length).replaceAll(/\r\n?/g, '\n')
  }
  yield kept.replace('\r', '\n') + (decoder?.decode() ?? '')
}

/** Some spreadsheets write UTF-16, which the mark at its beginning tells. */
function encodingOf([first, second]: Buffer): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

/**
 * Spreadsheets separate by semicolons in countries with a decimal comma, and some by tabs. The first line shows which:
 * split by the right one, it has `columns`.
 */
function delimiterOf(head: string, columns: readonly string[]): string {
  // Before looking for the line's end: a quoted heading may have a line break.
  const [line = ''] = /[^\n]+/.exec(head.replaceAll(/"[^"]*"/g, '')) ?? []
  const found = [',', ';', '\t'].filter((one) => line.includes(one))
  return found.find((one) => line.split(one).some((cell) => columnOf(cell, columns) !== undefined)) ?? found[0] ?? ','
}
