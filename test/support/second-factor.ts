// The app on a user's phone: RFC 6238 by its text, without the library that the server uses.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import type { Users } from '../../src/access/users.ts'
import type { User } from '../../src/store/access.ts'

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** The six digits that an app shows at this instant, in seconds. */
export function codeAt(secret: string, at: number): string {
  const bits = [...secret].map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('')
  const key = Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30)))
  const mac = createHmac('sha1', key).update(counter).digest()
  const number = mac.readUInt32BE((mac.at(-1) as number) & 15) & 0x7fff_ffff
  return String(number % 1_000_000).padStart(6, '0')
}

/** Sure to be none of those that are taken at this instant. */
export function wrongCodeAt(secret: string, at: number): string {
  const right = [-60, -30, 0, 30, 60].map((seconds) => codeAt(secret, at + seconds))
  const wrong = ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !right.includes(code))
  assert.ok(wrong)
  return wrong
}

export type Phone = { secret: string; recoveryCodes: string[] }

/** The user switches a second factor on, a minute before `now`. */
export async function withFactor(users: Users, user: User, now: number): Promise<Phone> {
  const at = now - 60
  const { secret, token: offer } = await users.offerFactor(user, at)
  const by = { kind: 'user', name: user.email, address: '192.0.2.0/24', at } as const
  const recoveryCodes = await users.switchFactorOn(user, { offer, code: codeAt(secret, at), token: '' }, by)
  return { secret, recoveryCodes }
}
