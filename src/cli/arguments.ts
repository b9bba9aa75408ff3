// Reads the options and positional arguments of a command.
import { parseArgs } from 'node:util'
import { integer } from '../config.ts'
import { emailFault, emailWanted } from '../core/email.ts'
import { parseInstant, type Seconds } from '../core/instant.ts'
import { WrongCall } from './wrong-call.ts'

type Option<T> = (text: string, name: string) => T
export type Options = Record<string, Option<unknown>>
/** What was read of each; undefined if it was not given. */
export type Read<Of extends Options> = { [Name in keyof Of]: ReturnType<Of[Name]> | undefined }
/** The positional arguments: `[NAME]` may be missing. */
type Positionals<Names> = { [At in keyof Names]: Names[At] extends `[${string}` ? string | undefined : string }

/** Reads `--name VALUE` options and positional arguments strictly. @throws WrongCall */
export function readArguments<Of extends Options, Names extends string[]>(
  args: string[],
  options: Of,
  ...names: Names
): { options: Read<Of>; positionals: Positionals<Names> } {
  const types = Object.fromEntries(
    Object.keys(options).map((name) => [name, { type: options[name] === yes ? 'boolean' : 'string' } as const]),
  )
  const parsed = parse(args, types)
  const missing = names[parsed.positionals.length]
  if (missing !== undefined && !missing.startsWith('[')) throw new WrongCall(`${missing} is missing`)
  const extra = parsed.positionals[names.length]
  if (extra !== undefined) throw new WrongCall(`one argument too many: ${expectedArguments(names)}`)
  const values = Object.entries(parsed.values).map(([name, value]) => [
    name,
    options[name]?.(String(value), `--${name}`),
  ])
  return { options: Object.fromEntries(values), positionals: parsed.positionals as Positionals<Names> }
}

/** Says what is expected, without the extra argument, which may be an email or a password. */
function expectedArguments(names: readonly string[]): string {
  return names.length === 0 ? 'it takes only options' : `besides options it takes only ${names.join(' ')}`
}

function parse(args: string[], options: Record<string, { type: 'boolean' | 'string' }>) {
  try {
    const parsed = parseArgs({ args, options, strict: true, allowPositionals: true, tokens: true })
    const seen = new Set<string>()
    for (const token of parsed.tokens) {
      if (token.kind !== 'option') continue
      if (seen.has(token.name)) throw new WrongCall(`--${token.name} is given twice`)
      seen.add(token.name)
    }
    return parsed
  } catch (error) {
    // Only the first sentence says what is wrong; the others are about parseArgs.
    const [said = ''] = (error as Error).message.split(/\.\s|\n/)
    const name = /^Option '(--[\w-]+)' argument is ambiguous/.exec(said)?.[1]
    if (name !== undefined) throw new WrongCall(`${name}: write ${name}=VALUE where the value begins with a dash`)
    const known = Object.keys(options).map((name) => `--${name}`)
    const empty = /^Option '(--[\w-]+) <value>' argument missing/.exec(said)?.[1]
    if (empty !== undefined) throw new WrongCall(`${empty}: its value is missing`)
    const isUnknown = said.startsWith('Unknown option')
    throw new WrongCall(isUnknown ? `${said}; options here: ${known.join(', ') || 'none'}` : said)
  }
}

/** Fails unless the option was given. */
export function need<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new WrongCall(`${name} is missing`)
  return value
}

export const anyText: Option<string> = (text) => text

export const nameText: Option<string> = (text, name) => {
  const isName = text.trim() !== '' && [...text].length <= 200 && !text.includes('\0')
  if (!isName) throw new WrongCall(`${name}: must be 1 to 200 characters, not blank`)
  return text
}

export const idNumber: Option<number> = (text, name) => {
  const id = integer(text, 1, Number.MAX_SAFE_INTEGER)
  if (id === undefined) throw new WrongCall(`${name}: must be an id, an integer of 1 or more`)
  return id
}

export const instantText: Option<Seconds> = (text, name) => {
  const at = parseInstant(text)
  if (at === undefined) throw new WrongCall(`${name}: must be an instant such as 2026-11-26T23:00:00Z`)
  return at
}

/** An option without a value, which confirms what cannot be undone. */
export const yes: Option<true> = () => true

export const trueOrFalse: Option<boolean> = (text, name) => {
  if (text !== 'true' && text !== 'false') throw new WrongCall(`${name}: must be true or false`)
  return text === 'true'
}

export function oneOf<const Name extends string>(names: readonly Name[]): Option<Name> {
  return (text, name) => {
    const found = names.find((known) => known === text)
    if (found !== undefined) return found
    const either = new Intl.ListFormat('en-GB', { type: 'disjunction' })
    throw new WrongCall(`${name}: must be ${either.format(names)}`)
  }
}

export function integerFrom(least: number, most: number): Option<number> {
  return (text, name) => {
    const number = integer(text, least, most)
    if (number === undefined) throw new WrongCall(`${name}: must be an integer from ${least} to ${most}`)
    return number
  }
}

export const emailText: Option<string> = (text, name) => {
  if (emailFault(text) !== undefined) throw new WrongCall(`${name}: must be ${emailWanted}`)
  return text
}
