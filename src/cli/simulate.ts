import { simulate } from '../core/simulate.ts'
import { type Command, readArguments, readJson, wrongInput } from './command.ts'

export const simulateCommand: Command = async (args) => {
  const { positionals } = readArguments(args, {}, ['[FILE]'])
  const file = positionals[0] ?? '-'
  if (positionals.length === 0 && process.stdin.isTTY) {
    console.error('lastcall: no FILE is given: type the document, and end it with Ctrl-D')
  }
  const document = await readJson(file)
  const result = simulate(document)
  if ('faults' in result) throw wrongInput(file, result.faults)
  // The JSON is for scripts; a person also gets a table.
  if (process.stderr.isTTY) console.error(table(document, result.answers))
  return result.answers
}

type Row = Record<string, unknown>

function table(document: unknown, answers: unknown): string {
  const documents = (Array.isArray(document) ? document : [document]) as { name?: string; events: Row[] }[]
  const all = (Array.isArray(document) ? answers : [answers]) as Row[][]
  const lines = documents.flatMap(({ name, events }, index) => [
    ...(name === undefined ? [] : [name]),
    ...events.map((event, at) => line(event, all[index]?.[at] ?? {})),
  ])
  return lines.join('\n')
}

function line(event: Row, answer: Row): string {
  const what = `${event.at}  ${String(event.do).padEnd(9)}`
  if (answer.found === false) return `${what} -> no such lead`
  const round = `attempt ${answer.attempt}, cycle ${answer.cycle}`
  return `${what} -> ${String(answer.state).padEnd(9)} deadline ${answer.deadline ?? 'none'}  ${round}`
}
