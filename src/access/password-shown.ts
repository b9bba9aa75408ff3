// Between the two steps of signing in with a second factor: a sealed token says whose password was right.
import type { Seconds } from '../core/instant.ts'
import type { Access, Credentials } from '../store/access.ts'
import { hashInHex } from './tokens.ts'

const waitSeconds = 5 * 60
const purpose = 'password shown'

/** `password` identifies the hash of the password. */
type Shown = { email: string; password: string }

/** A token that says for five minutes that this user's password, still the same, was right. Nothing is stored. */
export function codeToken(access: Access, { user, passwordHash }: Credentials, now: Seconds): Promise<string> {
  const shown: Shown = { email: user.email, password: hashInHex(passwordHash) }
  return access.seal.close(shown, purpose, now + waitSeconds)
}

/** The user that the token names; undefined if it is too old or no longer true. */
export async function passwordShown(access: Access, token: string, now: Seconds): Promise<Credentials | undefined> {
  const shown = await access.seal.open<Shown>(token, purpose, now)
  const found = shown && (await access.findCredentials(shown.email))
  return found && hashInHex(found.passwordHash) === shown.password ? found : undefined
}
