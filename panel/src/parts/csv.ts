/**
 * Spreadsheets run a cell that begins so (OWASP, "CSV Injection"). Apostrophes before it count too, or ours could not be
 * told from one that was there.
 */
export const isFormula = (value: string): boolean => /^'*[=+\-@\t\r\n]/.test(value)

/** The value of a cell that `csvLine` wrote. */
export const withoutMark = (cell: string): string => (cell.startsWith("'") && isFormula(cell) ? cell.slice(1) : cell)

export type Cell = string | number | null

/** One cell; a text that a spreadsheet would carry out gets an apostrophe before it. */
function csvCell(value: Cell): string {
  const text = String(value ?? '')
  const safe = typeof value === 'string' && isFormula(text) ? `'${text}` : text
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function csvLine(values: readonly Cell[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

/** With the mark by which spreadsheets know UTF-8. */
export function csvFile(parts: readonly (string | Blob)[]): Blob {
  return new Blob(['\uFEFF', ...parts], { type: 'text/csv;charset=utf-8' })
}

/** Of ASCII alone, which needs no mark. */
export function asciiFile(parts: readonly string[]): Blob {
  return new Blob([...parts], { type: 'text/csv' })
}
