// Passwords that guessers try first (NIST SP 800-63B, 3.1.1.2). We use only the list of zxcvbn-ts: its estimate of a
// long password takes seconds.
import { normalized } from './passwords.ts'
import { AccessRefused } from './refused.ts'

/** `email` is the user's own. @throws AccessRefused */
export async function assertUncommon(password: string, email: string): Promise<void> {
  const lower = normalized(password).toLowerCase()
  if (lower === email.toLowerCase() || (await list()).has(lower)) throw new AccessRefused('COMMON_PASSWORD')
}

let listed: Promise<ReadonlySet<string>> | undefined

/**
 * Loaded when a password is first chosen: it takes memory, and most commands do not need it. After a failure it is tried
 * again.
 */
function list(): Promise<ReadonlySet<string>> {
  listed ??= load().catch((error) => {
    listed = undefined
    throw error
  })
  return listed
}

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'])
}
