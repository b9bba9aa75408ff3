// Between the two steps of signing in with a second factor: a sealed text says whose password was right.
import type { Seconds } from '../core/instant.ts'
import type { Access, Credentials } from '../store/access.ts'
import { hashOf } from './tokens.ts'

const waitSeconds = 5 * 60
const purpose = 'password shown'

/** Says for five minutes that this user's password was right, and only while it stays the same. Nothing is stored. */
export function codeToken(access: Access, { user, passwordHash }: Credentials, now: Seconds): string {
  const shown = { email: user.email, password: printOf(passwordHash), endsAt: now + waitSeconds }
  return Buffer.from(access.seal.close(JSON.stringify(shown), purpose)).toString('base64url')
}

/** Of whom the token says so; undefined where it is too old, or no longer true. */
export async function passwordShown(access: Access, token: string, now: Seconds): Promise<Credentials | undefined> {
  const opened = access.seal.open(Buffer.from(token, 'base64url'), purpose)
  if (opened === undefined) return undefined
  const { email, password, endsAt } = JSON.parse(opened)
  const found = await access.findCredentials(email)
  return endsAt > now && found !== undefined && printOf(found.passwordHash) === password ? found : undefined
}

/** Tells one password's hash from another's. */
const printOf = (passwordHash: string) => Buffer.from(hashOf(passwordHash)).toString('hex')
