// Passwords that guessers try first (NIST SP 800-63B, 3.1.1.2). We use only the list of zxcvbn-ts: its estimate of a
// long password takes seconds.
import { normalized } from './passwords.ts'
import { AccessRefused } from './refused.ts'

/** `email` is the user's own. @throws AccessRefused */
export async function assertUncommon(password: string, email: string): Promise<void> {
  const lower = normalized(password).toLowerCase()
  if (lower === email.toLowerCase() || (await isListed(lower))) throw new AccessRefused('COMMON_PASSWORD')
}

/** The list takes memory, and most commands do not need it. Node tries an import again that has failed. */
async function isListed(lower: string): Promise<boolean> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return dictionary['passwords-common'].includes(lower)
}
