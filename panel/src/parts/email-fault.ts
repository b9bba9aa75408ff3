import type { CallFailed } from '../api.ts'
import { useWords } from '../language.ts'
import { words } from './words.ts'

/** What to say at the field of what browsers take for an email and the service does not, such as `a..b@example.com`. */
export function useEmailFault(failed: CallFailed | null): string | undefined {
  const { noEmail } = useWords(words)
  return failed?.faults.some(({ path }) => path === 'email') ? noEmail : undefined
}
