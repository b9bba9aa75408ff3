/**
 * What spreadsheets take for the beginning of a formula (OWASP, "CSV Injection"). Also after apostrophes, so that the
 * one that we add can be told from those that were there.
 */
const formula = /^'*[=+\-@\t\r\n]/

/** One cell; a text that a spreadsheet would run as a formula gets an apostrophe in front. */
function csvCell(value: string | number | null): string {
  const text = String(value ?? '')
  const safe = typeof value === 'string' && formula.test(text) ? `'${text}` : text
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** One line of a CSV file, as the panel writes them. */
export function csvLine(values: readonly (string | number | null)[]): string {
  return `${values.map(csvCell).join(',')}\r\n`
}

/** The value of a cell that `csvLine` wrote. */
export const withoutMark = (cell: string): string => (cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell)
