// Who may enter the panel: users, their sessions, and the links that make them. The panel and the command line
// share it.
import { hash, randomBytes } from 'node:crypto'
import type { Seconds } from '../core/instant.ts'
import type { Access, Credentials, Invitation, Inviter, Session, User } from '../store/access.ts'
import type { Store } from '../store/store.ts'
import { hashPassword, isPassword } from './passwords.ts'

const day = 86_400
/** A session ends when it was not used for so long, and at the latest so long after signing in. */
const idleSeconds = 14 * day
const longestSeconds = 90 * day
/** How old the instant of last use may be before it is written again. */
const touchSeconds = 3_600
export const invitationSeconds = 7 * day

const windowSeconds = 60
const triesOfPassword = 5
const triesOfAddress = 30

export type SignedIn = { token: string }
export type TooMany = { retryAfterSeconds: number }

export type Users = {
  isEmpty(): Promise<boolean>
  /** @throws Refused where the email has a user, or there is no such account */
  create(accountId: number, email: string, password: string, now: Seconds): Promise<User>
  /** The user's new password; all their sessions and invitations end. False where no user has the email. */
  reset(email: string, password: string): Promise<boolean>
  list(accountId: number): Promise<User[]>
  /** @throws Refused for the last one */
  remove(accountId: number, userId: number): Promise<boolean>

  /** Tries are counted for `address` and for the email. */
  signIn(email: string, password: string, address: string, now: Seconds): Promise<SignedIn | 'WRONG_PASSWORD' | TooMany>
  /** The user of a session. One that has ended is removed, so that a clock set back does not revive it. */
  session(token: string, now: Seconds): Promise<Session | undefined>
  signOut(token: string): Promise<void>
  /** Ends all the user's sessions but this one, and their invitations. */
  changePassword(
    session: Session,
    token: string,
    current: string,
    next: string,
    now: Seconds,
  ): Promise<'CHANGED' | 'WRONG_PASSWORD' | TooMany>

  /** A token that makes a user of the inviter's account, once; with null the first account and user. */
  invite(by: Inviter | null, now: Seconds): Promise<string>
  invitation(token: string, now: Seconds): Promise<Invitation | undefined>
  /** @throws Refused where the email has a user already */
  accept(token: string, given: Joining, now: Seconds): Promise<SignedIn | undefined>
}

export type Joining = { email: string; password: string; accountName: string }

export function buildUsers({ access }: Pick<Store, 'access'>): Users {
  return { ...usersOf(access), ...sessionsOf(access), ...invitationsOf(access) }
}

function usersOf(access: Access) {
  return {
    isEmpty: async () => !(await access.hasUsers()),
    create: async (accountId, email, password, now) =>
      access.createUser(accountId, await newUser(email, password, now)),
    async reset(email, password) {
      const found = await access.findCredentials(emailKey(email))
      if (found === undefined) return false
      await access.setPassword(found.user.id, await hashPassword(password))
      await access.forgetTries(hashOf(`email ${emailKey(email)}`))
      return true
    },
    list: access.listUsers,
    remove: access.removeUser,
  } satisfies Partial<Users>
}

function sessionsOf(access: Access) {
  return {
    async signIn(email, password, address, now) {
      const key = emailKey(email)
      const names: [string, number][] = [
        [`address ${address}`, triesOfAddress],
        [`email ${key}`, triesOfPassword],
      ]
      const limit = await tooMany(access, names, now)
      if (limit !== undefined) return limit
      const found = await access.findCredentials(key)
      const isRight = await isPassword(password, found?.passwordHash)
      if (found === undefined || !isRight) return 'WRONG_PASSWORD'
      await access.forgetTries(hashOf(`email ${key}`))
      return (await begin(access, found, now)) ?? 'WRONG_PASSWORD'
    },

    async session(token, now) {
      const tokenHash = hashOf(token)
      const found = await access.findSession(tokenHash)
      if (found === undefined) return undefined
      const { seenAt, createdAt } = found
      if (now - seenAt >= idleSeconds || now - createdAt >= longestSeconds) {
        await access.endSession(tokenHash)
        return undefined
      }
      if (now - seenAt >= touchSeconds) await access.touchSession(tokenHash, now)
      return found
    },
    signOut: (token) => access.endSession(hashOf(token)),

    async changePassword({ user }, token, current, next, now) {
      // Not counted with the tries to sign in: anybody who knows the email can use those up.
      const tries = `password of ${user.id}`
      const limit = await tooMany(access, [[tries, triesOfPassword]], now)
      if (limit !== undefined) return limit
      const found = await access.findCredentials(user.email)
      const isRight = await isPassword(current, found?.passwordHash)
      if (found === undefined || !isRight) return 'WRONG_PASSWORD'
      const isChanged = await access.changePassword(found, await hashPassword(next), hashOf(token))
      if (!isChanged) return 'WRONG_PASSWORD'
      await access.forgetTries(hashOf(tries))
      return 'CHANGED'
    },
  } satisfies Partial<Users>
}

function invitationsOf(access: Access) {
  return {
    async invite(by, now) {
      const token = newToken()
      await access.createInvitation(hashOf(token), by, now + invitationSeconds)
      return token
    },
    async invitation(token, now) {
      const found = await access.findInvitation(hashOf(token))
      return found !== undefined && found.endsAt > now ? found : undefined
    },
    async accept(token, { email, password, accountName }, now) {
      const joining = await newUser(email, password, now)
      const user = await access.acceptInvitation(hashOf(token), joining, accountName, now)
      return user && begin(access, { user, passwordHash: joining.passwordHash }, now)
    },
  } satisfies Partial<Users>
}

/** Undefined where the password was changed while it was being checked. */
async function begin(access: Access, by: Credentials, now: Seconds): Promise<SignedIn | undefined> {
  const token = newToken()
  const isBegun = await access.createSession(hashOf(token), by, now)
  const unseenSince = now - idleSeconds
  await access.removeEnded({ unseenSince, madeBefore: now - longestSeconds, now })
  return isBegun ? { token } : undefined
}

/** Counts a try of each of these, and says how long to wait if one of them has had too many. */
async function tooMany(
  access: Access,
  tries: [name: string, most: number][],
  now: Seconds,
): Promise<TooMany | undefined> {
  for (const [name, most] of tries) {
    const { count, endsAt } = await access.countTry(hashOf(name), now, windowSeconds)
    if (count > most) return { retryAfterSeconds: Math.max(1, endsAt - now) }
  }
  return undefined
}

async function newUser(email: string, password: string, createdAt: Seconds) {
  return { email: emailKey(email), passwordHash: await hashPassword(password), createdAt }
}

/** Users type their email: its case does not matter, as it does for a lead's. */
function emailKey(email: string): string {
  return email.toLowerCase()
}

function newToken(): string {
  return randomBytes(32).toString('base64url')
}

/** What is stored of a token: SHA-256, which is enough for 32 random bytes. */
function hashOf(token: string): Uint8Array {
  return hash('sha256', token, 'buffer')
}
