import { isUtf8 } from 'node:buffer'
import { createReadStream, createWriteStream, existsSync, statSync } from 'node:fs'
import { link, rename, rm } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { integer, readSetting, userPath } from '../config.ts'
import { emailFault, emailWanted } from '../core/email.ts'
import type { Fault } from '../core/fault.ts'
import { parseInstant, type Seconds } from '../core/instant.ts'
import type { Actor } from '../store/audit.ts'
import { Refused, UnusableDatabase } from '../store/errors.ts'
import type { Campaign } from '../store/model.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { secondsNow } from './now.ts'

/** The call or its input is wrong: one line on standard error, exit 2. */
export class WrongCall extends Error {
  override name = 'WrongCall'
}

/** For `catch`: what the store refuses is a wrong call. `name` is the argument that is at fault. */
export const wrongIn =
  (name: string) =>
  (error: unknown): never => {
    throw error instanceof Refused ? new WrongCall(`${name}: ${error.message}`) : error
  }

/** What one command does with its arguments; what it returns is printed as one JSON document. */
export type Command = (args: string[]) => Promise<unknown>

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

/**
 * Runs `work` on the database and closes it, whatever happens. A mistyped DATABASE_URL must not leave an empty
 * database behind, or tables in another one, so only a command with `mayCreate` makes them. @throws WrongCall
 */
export async function withStore<T>(work: (store: Store) => Promise<T>, { mayCreate = false } = {}): Promise<T> {
  const location = readSetting('database')
  if (!mayCreate && location.engine === 'sqlite' && !isThere(location.path)) {
    throw new WrongCall(
      `DATABASE_URL: there is no database at ${location.path}; serve, migrate or account create makes one`,
    )
  }
  const store = await openStore(location, {
    lockWaitMs: 10_000,
    timeoutMs: 60_000,
    poolSize: 2,
    isServer: false,
    mayCreate,
  })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** @throws UnusableDatabase if we cannot know: no access to the folder does not mean that there is no database */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UnusableDatabase(`cannot use ${path} as a database: ${code}; run commands as the server's user`)
  }
}

/** The server's public URL; with the port of the settings, since a command cannot know of another. */
export const publicAddress = (): string => readSetting('publicUrl') ?? `http://localhost:${readSetting('port')}`

/** Says so where links begin with an address that works on this machine only: PUBLIC_URL may be set for the server only. */
export function warnOfAddress(): void {
  if (readSetting('publicUrl') !== null) return
  console.error(`lastcall: links begin with ${publicAddress()}, since PUBLIC_URL is not set`)
}

/** The system user who runs the command, for the audit log. */
export const commandActor = (): Actor => ({ kind: 'command', name: systemUser(), address: null, at: secondsNow() })

/** In a container the user may be a number without a name. */
function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}

/** Runs `work` on the account that the caller named. @throws WrongCall */
export async function withAccount<T>(
  id: number | undefined,
  work: (store: Store, accountId: number) => Promise<T>,
): Promise<T> {
  const accountId = need(id, '--account')
  return withStore(async (store) => {
    if ((await store.configuration.findAccount(accountId)) === undefined) {
      throw new WrongCall(`--account: there is no account ${accountId}`)
    }
    return work(store, accountId)
  })
}

/** Runs `work` on the campaign that the caller named. @throws WrongCall */
export async function withCampaign<T>(
  id: number | undefined,
  work: (store: Store, campaign: Campaign) => Promise<T>,
  name = '--campaign',
): Promise<T> {
  const campaignId = need(id, name)
  return withStore(async (store) => {
    const campaign = await store.configuration.findCampaign(campaignId)
    if (campaign === undefined) throw new WrongCall(`${name}: there is no campaign ${campaignId}`)
    return work(store, campaign)
  })
}

/** The largest possible campaign file is far smaller. */
const maxInputBytes = 16 * 1_048_576

/** A file that the caller named, or standard input for `-`. @throws WrongCall */
async function readInput(file: string): Promise<Buffer> {
  const stream = inputStream(file)
  try {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of stream) {
      bytes += chunk.length
      if (bytes > maxInputBytes) throw new WrongCall(`${nameOf(file)}: must have at most 16 MiB`)
      chunks.push(chunk as Buffer)
    }
    return Buffer.concat(chunks)
  } catch (error) {
    if (error instanceof WrongCall) throw error
    throw new WrongCall(`${nameOf(file)}: cannot be read (${(error as NodeJS.ErrnoException).code})`)
  }
}

export function inputStream(file: string): NodeJS.ReadableStream {
  if (file === '') throw new WrongCall('FILE: must be the name of a file, or - for standard input')
  return file === '-' ? process.stdin : createReadStream(userPath(file))
}

/** The path of a file to be made. @throws WrongCall */
export function newFile(file: string): string {
  // Not `-`: standard output has the answer, as for every command.
  if (file === '' || file === '-') throw new WrongCall('FILE: must be the name of a new file')
  const path = userPath(file)
  if (existsSync(path)) throw existsAlready(file)
  return path
}

/** Makes a file that the caller named, only for its owner; an existing one stays. @throws WrongCall */
export async function writeOutput(file: string, pieces: AsyncIterable<string>): Promise<void> {
  const path = newFile(file)
  // Written under another name: a command that is killed must not leave a file that looks complete.
  const part = `${path}.${process.pid}.part`
  const stream = createWriteStream(part, { flags: 'wx', mode: 0o600 })
  try {
    await pipeline(Readable.from(pieces), stream)
    // Unlike a rename it never replaces a file, which somebody may have made meanwhile. Not every disk has hard links.
    await link(part, path).then(
      () => rm(part, { force: true }),
      (error) => (error.code === 'EEXIST' ? Promise.reject(existsAlready(file)) : rename(part, path)),
    )
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    const isOpened = syscall !== 'open'
    if (isOpened) await rm(part, { force: true })
    if (syscall === undefined) throw error
    // What a run that was killed has left.
    const message = `${code === 'EEXIST' ? part : file}: cannot be written (${code})`
    throw isOpened ? new Error(message) : new WrongCall(message)
  }
}

const existsAlready = (file: string) => new WrongCall(`${file}: exists already; name a new file`)

/** With a byte order mark or without: Windows' editors write one. @throws WrongCall */
export async function readJson(file: string): Promise<unknown> {
  const bytes = await readInput(file)
  if (!isUtf8(bytes)) throw new WrongCall(`${nameOf(file)}: must be in UTF-8`)
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch (error) {
    // The message itself may quote the text, and the text may hold a password.
    const place = /\(line \d+ column \d+\)/.exec((error as Error).message)?.[0]
    throw new WrongCall(`${nameOf(file)}: must be JSON${place === undefined ? '' : `; see ${place.slice(1, -1)}`}`)
  }
}

/** Every fault in one line, each with its path. */
export function wrongInput(file: string, faults: readonly Fault[]): WrongCall {
  const found = faults.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
  return new WrongCall(`${nameOf(file)}: ${found.join('; ')}`)
}

export function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file
}
