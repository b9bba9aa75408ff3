// A new password for somebody who has forgotten theirs, by a link that is mailed to them.
import type { Seconds } from '../core/instant.ts'
import type { Actor } from '../store/audit.ts'
import type { Store } from '../store/store.ts'
import type { TryLimit } from '../store/tries.ts'
import { assertUncommon } from './common-passwords.ts'
import { hashPassword } from './passwords.ts'
import { hashOf, newToken } from './tokens.ts'
import { countTries, triesFrom } from './tries.ts'
import { emailKey, triesOfEmail } from './users.ts'

const hour = 3_600
/** Mails to one person in an hour. A client address may ask for as many in an hour as it may sign in in a minute. */
const mostOfEmail = 3

export type PasswordReset = ReturnType<typeof buildPasswordReset>

export function buildPasswordReset(store: Pick<Store, 'access' | 'passwordResets'>) {
  const { access, passwordResets } = store
  return {
    /** Counts, whether or not the email has a user. `address` is as `rateAddress` gives it. @throws AccessRefused */
    async ask(email: string, address: string, now: Seconds): Promise<void> {
      const limits: TryLimit[] = [
        { name: `reset of ${emailKey(email)}`, most: mostOfEmail, seconds: hour },
        ...triesFrom(address).map(({ name, most }) => ({ name: `reset from ${name}`, most, seconds: hour })),
      ]
      await countTries(access, limits, now)
    },
    /**
     * The token of a link that works for an hour and ends earlier ones, and the email as the user has it. Undefined if no
     * user has it.
     */
    async issue(email: string, now: Seconds) {
      const issued = { token: newToken(), email: emailKey(email) }
      return (await passwordResets.create(issued.email, hashOf(issued.token), now + hour)) ? issued : undefined
    },
    /** The email of the user whose link it is, while it works. */
    emailOf: async (token: string, now: Seconds) => (await passwordResets.find(hashOf(token), now))?.email,
    /**
     * Sets the password and ends the user's sessions and invitations; the second factor stays. False where the link does
     * not work (any more). @throws AccessRefused
     */
    async use(token: string, password: string, by: Omit<Actor, 'name'>): Promise<boolean> {
      const user = await passwordResets.find(hashOf(token), by.at)
      if (user === undefined) return false
      await assertUncommon(password, user.email)
      const isSet = await passwordResets.use(hashOf(token), await hashPassword(password), by)
      if (isSet) await access.forgetTries(triesOfEmail(user.email).name)
      return isSet
    },
  }
}
