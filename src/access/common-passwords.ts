// Passwords that guessers try first (NIST SP 800-63B, 3.1.1.2). Of zxcvbn-ts only the list: its estimate of a long
// password takes seconds.
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

/** Loaded with the first password that is chosen: it takes memory, and most commands need none. */
function list(): Promise<ReadonlySet<string>> {
  listed ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']))
  return listed
}
