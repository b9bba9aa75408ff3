// Random texts that let somebody in, of which the database has the hash alone.
import { hash, randomBytes } from 'node:crypto'

export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** SHA-256, which is enough for random bytes that nobody can guess. */
export function hashOf(token: string): Uint8Array {
  return hash('sha256', token, 'buffer')
}

/** The same in hexadecimal: what sessions and invitations are called by, since nobody comes in with it. */
export const hashInHex = (token: string): string => hash('sha256', token, 'hex')
