// Passwords that guessers try first (NIST SP 800-63B, 3.1.1.2). We use only the list of zxcvbn-ts: its estimate of a
// long password takes seconds.
import { normalized } from './passwords.ts'

/** The password is one of those that guessers try first. */
export class CommonPassword extends Error {
  override name = 'CommonPassword'
}

/** `email` is the user's own. @throws CommonPassword */
export async function assertUncommon(password: string, email: string): Promise<void> {
  const lower = normalized(password).toLowerCase()
  if (lower === email.toLowerCase() || (await list()).has(lower)) {
    throw new CommonPassword('the password is too common')
  }
}

let listed: Promise<ReadonlySet<string>> | undefined

/** Loaded when a password is first chosen: it takes memory, and most commands do not need it. */
function list(): Promise<ReadonlySet<string>> {
  listed ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']))
  return listed
}
