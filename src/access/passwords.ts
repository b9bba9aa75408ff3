// Passwords of panel users, kept as argon2id (RFC 9106) in the PHC string format.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

export const passwordMinLength = 8
export const passwordMaxLength = 256

/** The second choice of RFC 9106 takes 64 MiB; these are OWASP's figures for a server that does other work too. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagBytes = 32
/** Hashing takes memory and a thread of the pool that everybody shares. */
const atOnce = 2
const mostWaiting = 50

const derive = promisify(argon2)
let running = 0
const waiting: (() => void)[] = []

/** More passwords wait to be hashed than can be in a reasonable time. */
export class TooBusy extends Error {
  override name = 'TooBusy'
}

/** @throws TooBusy */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  const tag = await oneOfFew(() => tagOf(password, salt, cost))
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '')
  const { memory, passes, parallelism } = cost
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`
}

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

/** Whether this is the password. Without a hash the answer is no, after the same time. @throws TooBusy */
export async function isPassword(password: string, hash: string | undefined): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', tag = ''] = form.exec(hash ?? '') ?? []
  const given =
    memory === undefined ? cost : { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const nonce = salt === '' ? Buffer.alloc(saltBytes) : Buffer.from(salt, 'base64')
  const made = await oneOfFew(() => tagOf(password, nonce, given))
  const wanted = Buffer.from(tag, 'base64')
  return wanted.length === made.length && timingSafeEqual(wanted, made)
}

function tagOf(password: string, nonce: Uint8Array, figures: typeof cost): Promise<Buffer> {
  // The same characters in another composition are the same password (NIST SP 800-63B, 3.1.1.2).
  const message = Buffer.from(password.normalize('NFKC'))
  return derive('argon2id', { message, nonce, tagLength: tagBytes, ...figures })
}

async function oneOfFew<T>(work: () => Promise<T>): Promise<T> {
  if (running >= atOnce) {
    if (waiting.length >= mostWaiting) throw new TooBusy('too many passwords wait to be hashed')
    await new Promise<void>((resolve) => waiting.push(resolve))
  }
  running += 1
  try {
    return await work()
  } finally {
    running -= 1
    waiting.shift()?.()
  }
}
