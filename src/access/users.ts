// Who may enter the panel: users, their sessions, and the links that make them. The panel and the command line
// share it.
import type { Seconds } from '../core/instant.ts'
import type { Role } from '../core/role.ts'
import type { Access, Client, Credentials, Inviter, Session, User } from '../store/access.ts'
import type { Actor } from '../store/audit.ts'
import { goOnIfUnavailable } from '../store/errors.ts'
import type { Store } from '../store/store.ts'
import type { Tries, TryLimit } from '../store/tries.ts'
import { assertUncommon } from './common-passwords.ts'
import { codeToken, passwordShown } from './password-shown.ts'
import { assertRoom, hashPassword, isPassword, type TurnName } from './passwords.ts'
import { AccessRefused } from './refused.ts'
import { buildSecondFactor, type SecondFactor } from './second-factor.ts'
import { hashInHex, hashOf, newToken } from './tokens.ts'
import { countTries, triesFrom } from './tries.ts'

const day = 86_400
/** A session ends when it was not used for so long, and at the latest so long after signing in. */
const idleSeconds = 14 * day
const longestSeconds = 90 * day
/** How old the stored last use may be before it is written again. */
const touchSeconds = 3_600
const invitationSeconds = 7 * day

/** Tries in a minute. */
const triesOfPassword = 5

export type SignedIn = { token: string }
/** The password was right; this and a code begin a session. */
type CodeNeeded = { codeToken: string }

export type Users = ReturnType<typeof buildUsers>

type Created = { email: string; password: string; role: Role }
type Invited = { role: Role; email: string | null }
type Joining = { email: string; password: string; accountName: string }

export function buildUsers({ access }: Pick<Store, 'access'>) {
  const factor = buildSecondFactor(access)
  return {
    ...factor,
    ...usersOf(access),
    ...signingInOf(access, factor),
    ...sessionsOf(access),
    ...invitationsOf(access),
    /** Removes tries that no longer count; to be called now and then. */
    removeOldTries: access.removeOldTries,
    /** Removes what has ended of sessions, invitations and links for a new password; to be called now and then. */
    removeEnded: (now: Seconds) => access.removeEnded({ ...ended(now), now }),
  }
}

function usersOf(access: Access) {
  return {
    isEmpty: async () => !(await access.hasUsers()),
    /** @throws Refused where the email has a user, or there is no such account; AccessRefused */
    create: async (accountId: number, { email, password, role }: Created, by: Actor) =>
      access.createUser(accountId, { ...(await newUser(email, password)), role }, by),
    /**
     * The user's new password; all their sessions and invitations end. False where no user has the email.
     * @throws AccessRefused
     */
    async reset(email: string, password: string, by: Actor): Promise<boolean> {
      const found = await access.findCredentials(emailKey(email))
      if (found === undefined) return false
      await assertUncommon(password, email)
      await access.setPassword(found.user.id, await hashPassword(password), by)
      await access.forgetTries(triesOfEmail(emailKey(email)).name)
      return true
    },
    find: async (email: string) => (await access.findCredentials(emailKey(email)))?.user,
    list: access.listUsers,
    remove: access.removeUser,
    /** From the user's next request on. */
    setRole: access.setRole,
  }
}

function signingInOf(access: Access, factor: SecondFactor) {
  return {
    /** Tries are counted for the email and for `address`, as `rateAddress` gives it. @throws AccessRefused */
    async signIn(
      email: string,
      password: string,
      address: string,
      client: Client,
      now: Seconds,
    ): Promise<SignedIn | CodeNeeded> {
      const key = emailKey(email)
      const found = await needPassword(access, key, password, [...triesFrom(address), triesOfEmail(key)], now)
      if (found.hasFactor) return { codeToken: await codeToken(access, found, now) }
      const signedIn = await begin(access, found, client, now)
      if (signedIn === undefined) throw new AccessRefused('WRONG_PASSWORD')
      return signedIn
    },

    /** @throws AccessRefused, also if the password or the factor was changed meanwhile */
    async signInWithCode(given: string, code: string, client: Client, now: Seconds): Promise<SignedIn> {
      const found = await passwordShown(access, given, now)
      if (!found?.hasFactor) throw new AccessRefused('TOOK_TOO_LONG')
      await factor.takeCode(found.user.id, code, now)
      const signedIn = await begin(access, found, client, now)
      if (signedIn === undefined) throw new AccessRefused('TOOK_TOO_LONG')
      return signedIn
    },
  }
}

function sessionsOf(access: Access) {
  return {
    /**
     * The user of a session. One that has ended is removed, so that a clock set back does not revive it. A request that
     * asks again has noted the last use, or waited for that already.
     */
    async session(token: string, now: Seconds, isAgain = false): Promise<Session | undefined> {
      const tokenHash = hashOf(token)
      const found = await access.findSession(tokenHash)
      if (found === undefined) return undefined
      const { seenAt, createdAt } = found
      // Last used in the far future: from before the clock was set back. It would live until then and longer.
      if (Math.abs(now - seenAt) >= idleSeconds || Math.abs(now - createdAt) >= longestSeconds) {
        await access.endSession(tokenHash)
        return undefined
      }
      // While the database cannot be written it can still be read: a later request writes the last use.
      if (!isAgain && now - seenAt >= touchSeconds) await access.touchSession(tokenHash, now).catch(goOnIfUnavailable)
      return found
    },
    signOut: (token: string) => access.endSession(hashOf(token)),
    /** The user's sessions; the one with the token is marked. */
    async sessions(userId: number, token: string, now: Seconds) {
      const rows = await access.listSessions(userId, ended(now))
      const own = hashInHex(token)
      return rows.map((row) => ({ ...row, isThis: row.id === own }))
    },
    /** False where the user has no such session. */
    endSession: (userId: number, id: string) => access.endSessionOf(userId, Buffer.from(id, 'hex')),
    /** Ends all but the one with the token. */
    endOtherSessions: (userId: number, token: string) => access.endOtherSessions(userId, hashOf(token)),
    /** Counted with the tries to change the password. @throws AccessRefused */
    checkPassword: (user: User, password: string, now: Seconds) => checkPassword(access, user, password, now),

    /** Ends all the user's sessions but this one, and their invitations. @throws AccessRefused */
    async changePassword({ user }: Session, token: string, current: string, next: string, by: Actor): Promise<void> {
      await assertUncommon(next, user.email)
      const found = await checkPassword(access, user, current, by.at)
      const isChanged = await access.changePassword(found, await hashPassword(next), hashOf(token), by)
      if (!isChanged) throw new AccessRefused('WRONG_PASSWORD')
    },
  }
}

function invitationsOf(access: Access) {
  return {
    /**
     * A token that makes a user of the inviter's account, once; with null it makes an account and its first user. `email`
     * is where the link is mailed to. @throws Refused if the inviter is no longer an owner; AccessRefused
     */
    async invite(inviter: Inviter | null, { role, email }: Invited, by: Actor): Promise<string> {
      const token = newToken()
      const invited = {
        tokenHash: hashOf(token),
        role,
        email: email && emailKey(email),
        endsAt: by.at + invitationSeconds,
      }
      if (!(await access.createInvitation(inviter, invited, by))) throw new AccessRefused('TOO_MANY_INVITATIONS')
      return token
    },
    async invitation(token: string, now: Seconds) {
      const found = await access.findInvitation(hashOf(token))
      return found !== undefined && found.endsAt > now ? found : undefined
    },
    openInvitations: access.listInvitations,
    /** False where the account has no such invitation (any more). */
    withdraw: (accountId: number, invitationId: string, by: Actor) =>
      access.withdrawInvitation(accountId, Buffer.from(invitationId, 'hex'), by),
    /**
     * `by` is named after the email given. Counted with the tries to sign in from `address`.
     * @throws Refused where the email has a user already; AccessRefused
     */
    async accept(token: string, given: Joining, address: string, client: Client, by: Actor) {
      const { email, password, accountName } = given
      await assertUncommon(password, email)
      // A link has a limit too: an email that has a user does not use it up, and each try hashes a password.
      const ofLink = { name: `invitation ${token}`, most: triesOfPassword }
      await countTries(access, [...triesFrom(address), ofLink], by.at, assertTurn)
      const joining = await newUser(email, password)
      const joins = { ...by, name: joining.email }
      const user = await access.acceptInvitation(hashOf(token), joining, accountName, joins)
      return user && begin(access, { user, passwordHash: joining.passwordHash, hasFactor: false }, client, by.at)
    },
  }
}

/** A session of a known user. Undefined if the user has changed since `by` was read. */
export async function begin(
  access: Access,
  by: Credentials,
  client: Client,
  now: Seconds,
): Promise<SignedIn | undefined> {
  const token = newToken()
  return (await access.createSession(hashOf(token), by, client, now)) ? { token } : undefined
}

const ended = (now: Seconds) => ({ unseenSince: now - idleSeconds, madeBefore: now - longestSeconds })

/** Counted apart from the tries to sign in, which anybody who knows the email can use up. */
function checkPassword(access: Access, { id, email }: User, password: string, now: Seconds): Promise<Credentials> {
  return needPassword(access, email, password, [{ name: `password of ${id}`, most: triesOfPassword }], now)
}

/** The last of the tries is for what is guessed at. @throws AccessRefused */
async function needPassword(
  access: Access,
  email: string,
  password: string,
  tries: TryLimit[],
  now: Seconds,
): Promise<Credentials> {
  const turn = turnAfter(await countTries(access, tries, now, assertTurn))
  const found = await access.findCredentials(email)
  const isRight = await isPassword(password, found?.passwordHash, turn)
  if (found === undefined || !isRight) throw new AccessRefused('WRONG_PASSWORD')
  await access.forgetTries((tries.at(-1) as TryLimit).name)
  return found
}

export const triesOfEmail = (key: string): TryLimit => ({ name: `email ${key}`, most: triesOfPassword })

/** The last of the tries is for what is guessed at. */
const turnAfter = (tries: Tries[]): TurnName => (tries.at(-1)?.count === 0 ? 'first' : 'again')
const assertTurn = (tries: Tries[]) => assertRoom(turnAfter(tries))

async function newUser(email: string, password: string) {
  await assertUncommon(password, email)
  return { email: emailKey(email), passwordHash: await hashPassword(password) }
}

/** Users type their email: its case does not matter, as it does for a lead's. */
export function emailKey(email: string): string {
  return email.toLowerCase()
}
