import { simulate } from '../core/simulate.ts'
import { readArguments } from './arguments.ts'
import type { Command } from './command.ts'
import { readJson, wrongInput } from './files.ts'

export const simulateCommand: Command = async (args) => {
  const { positionals } = readArguments(args, {}, '[FILE]')
  const file = positionals[0] ?? '-'
  if (positionals[0] === undefined && process.stdin.isTTY) {
    console.error('lastcall: no FILE is given: type the document, and end it with Ctrl-D')
  }
  const result = simulate(await readJson(file))
  if ('faults' in result) throw wrongInput(file, result.faults)
  return result.answers
}
