import { readFileSync } from 'node:fs'
import type { Command } from './command.ts'
import { WrongCall } from './wrong-call.ts'

/** The usage of commands from docs/operating.md: of those whose names begin with the words, or of all. */
export const help: Command = async (words) => {
  const page = readFileSync(new URL('../../docs/operating.md', import.meta.url), 'utf8')
  const table = page.split('\n## Commands\n')[1]?.split('\n## ')[0] ?? ''
  const rows = table.split('\n').filter((line) => line.startsWith('| `'))
  const cells = rows.map((row) => row.split(/(?<!\\)\|/).map(plain))
  const asked = words.join(' ')
  const found = cells.filter(([, usage = '']) => `${usage} `.startsWith(asked === '' ? '' : `${asked} `))
  if (found.length === 0) throw new WrongCall('--help: must stand alone or with a command, such as lead or lead list')
  return Object.fromEntries(found.map(([, usage, does]) => [usage, does]))
}

/** The text of a cell without Markdown: a link leaves its words. */
function plain(cell: string): string {
  return cell
    .replace(/\[([^[\]]*)\]\([^()]*\)/g, '$1')
    .replace(/`|\\(?=\|)/g, '')
    .trim()
}
