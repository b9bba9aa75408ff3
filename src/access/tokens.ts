// Random tokens that let somebody in. The database has only their hash.
import { hash, randomBytes } from 'node:crypto'

export function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** SHA-256, which is enough for random bytes that nobody can guess. */
export function hashOf(token: string): Uint8Array {
  return hash('sha256', token, 'buffer')
}

/** The hash in hexadecimal: the id of sessions and invitations, with which nobody can get in. */
export const hashInHex = (token: string): string => hash('sha256', token, 'hex')
