// Files that the caller named: what is read from them, and those that are made.
import { isUtf8 } from 'node:buffer'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { link, rename, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { userPath } from '../config.ts'
import type { Fault } from '../core/fault.ts'
import { WrongCall } from './wrong-call.ts'

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
