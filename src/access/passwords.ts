// Passwords of panel users, kept as argon2id (RFC 9106) in the PHC string format.
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { AccessRefused } from './refused.ts'

export const passwordMinLength = 8
export const passwordMaxLength = 256

/** The second choice of RFC 9106 takes 64 MiB; these are OWASP's figures for a server that does other work too. */
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const saltBytes = 16
const tagBytes = 32
/** Hashing takes memory and a thread of the pool that everybody shares. */
const atOnce = 2

type Turn = { mostAtOnce: number; mostWaiting: number; running: number; waiting: (() => void)[] }

/**
 * `first`: nobody has tried this user's password for a while; `again`: somebody has. Half of the places are kept for
 * `first`, so that guessing at one email does not lock out the others.
 */
const turns = {
  first: { mostAtOnce: atOnce, mostWaiting: 100, running: 0, waiting: [] } as Turn,
  again: { mostAtOnce: atOnce - 1, mostWaiting: 50, running: 0, waiting: [] } as Turn,
}
export type TurnName = keyof typeof turns

const derive = promisify(argon2)

/** @throws AccessRefused */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  const tag = await inTurn('first', () => tagOf(password, salt, cost))
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '')
  const { memory, passes, parallelism } = cost
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(salt)}$${text(tag)}`
}

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/

/** Whether this is the password. Without a hash it is not, and finding out takes as long. @throws AccessRefused */
export async function isPassword(password: string, hash: string | undefined, turn: TurnName): Promise<boolean> {
  const [, memory, passes, parallelism, salt = '', tag = ''] = form.exec(hash ?? '') ?? []
  const given =
    memory === undefined ? cost : { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  const nonce = salt === '' ? Buffer.alloc(saltBytes) : Buffer.from(salt, 'base64')
  const made = await inTurn(turn, () => tagOf(password, nonce, given))
  const wanted = Buffer.from(tag, 'base64')
  return wanted.length === made.length && timingSafeEqual(wanted, made)
}

function tagOf(password: string, nonce: Uint8Array, figures: typeof cost): Promise<Buffer> {
  const message = Buffer.from(normalized(password))
  return derive('argon2id', { message, nonce, tagLength: tagBytes, ...figures })
}

/** Normalised: the same characters composed differently are the same password (NIST SP 800-63B, 3.1.1.2). */
export function normalized(password: string): string {
  return password.normalize('NFKC')
}

/** @throws AccessRefused if more wait already than can be hashed in a reasonable time */
export function assertRoom(turn: TurnName): void {
  const { waiting, mostWaiting } = turns[turn]
  if (waiting.length >= mostWaiting) throw new AccessRefused('SERVICE_UNAVAILABLE')
}

async function inTurn<T>(name: TurnName, work: () => Promise<T>): Promise<T> {
  assertRoom(name)
  const turn = turns[name]
  await new Promise<void>((resolve) => {
    turn.waiting.push(resolve)
    beginNext()
  })
  try {
    return await work()
  } finally {
    turn.running -= 1
    beginNext()
  }
}

/** Of both turns, the one of which fewer run: neither waits for ever. */
function beginNext(): void {
  const { first, again } = turns
  if (first.running + again.running >= atOnce) return
  const [next] = [first, again]
    .filter(({ waiting, running, mostAtOnce }) => waiting.length > 0 && running < mostAtOnce)
    .sort((one, other) => one.running - other.running)
  if (next === undefined) return
  next.running += 1
  next.waiting.shift()?.()
}
