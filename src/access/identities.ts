// Who may sign in as which user, once the OpenID Connect provider has said who they are there.
import { emailFault } from '../core/email.ts'
import type { Seconds } from '../core/instant.ts'
import type { Client } from '../store/access.ts'
import type { Actor } from '../store/audit.ts'
import { Refused } from '../store/errors.ts'
import type { Store } from '../store/store.ts'
import type { Identity } from './provider.ts'
import { hashOf } from './tokens.ts'
import { begin, emailKey, type SignedIn } from './users.ts'

/** An invitation that somebody has followed; if it makes an account too, with the account's name. */
export type Following = { token: string; accountName: string }

/** EMAIL_UNUSABLE: the email is verified, and no user here can have one of this form. */
export type IdentityRefusal =
  | ('EMAIL_NOT_VERIFIED' | 'EMAIL_UNUSABLE' | 'EMAIL_TAKEN')
  | ('NOT_INVITED' | 'OTHER_IDENTITY' | 'LINK_USED_UP')

/**
 * Begins a session of the user with this identity. The first time, the user is found by the verified email, and keeps
 * the identity from then on, even if the email changes there. A new user is made only by an invitation: one that the
 * person has followed, or one to their email.
 */
export async function enter(
  store: Pick<Store, 'access' | 'identities'>,
  identity: Identity,
  following: Following | null,
  client: Client,
  now: Seconds,
): Promise<SignedIn | IdentityRefusal> {
  const { access, identities } = store
  const known = await identities.find(identity)
  if (known !== undefined && following !== null) return 'EMAIL_TAKEN'
  if (known !== undefined) return (await begin(access, known, client, now)) ?? 'NOT_INVITED'
  const entered = await enterFirst(store, identity, following, client, now)
  if (typeof entered !== 'string' || following !== null) return entered
  // The same person may have come back in another tab meanwhile, and be known by now.
  const meanwhile = await identities.find(identity)
  return (meanwhile && (await begin(access, meanwhile, client, now))) ?? entered
}

/** Of an identity that nobody has yet. */
async function enterFirst(
  ...[store, identity, following, client, now]: Parameters<typeof enter>
): Promise<SignedIn | IdentityRefusal> {
  const { access, identities } = store
  if (identity.email === null) return 'EMAIL_NOT_VERIFIED'
  if (emailFault(identity.email) !== undefined) return 'EMAIL_UNUSABLE'
  const email = emailKey(identity.email)
  const by: Actor = { kind: 'user', name: email, address: client.address, at: now }
  const found = await access.findCredentials(email)
  if (found === undefined) return join(store, { ...identity, email }, following, client, by)
  if (following !== null) return 'EMAIL_TAKEN'
  const isLinked = await identities.link(found.user.id, identity, by)
  if (!isLinked) return 'OTHER_IDENTITY'
  return (await begin(access, found, client, now)) ?? 'NOT_INVITED'
}

async function join(
  { access, identities }: Pick<Store, 'access' | 'identities'>,
  identity: Identity & { email: string },
  following: Following | null,
  client: Client,
  by: Actor,
): Promise<SignedIn | IdentityRefusal> {
  const { email } = identity
  const tokenHash = following ? hashOf(following.token) : await identities.findInvitationTo(email, by.at)
  if (tokenHash === undefined) return 'NOT_INVITED'
  try {
    const made = await identities.join(tokenHash, email, following?.accountName ?? '', identity, by)
    const signedIn = made && (await begin(access, made, client, by.at))
    return signedIn ?? 'LINK_USED_UP'
  } catch (error) {
    if (error instanceof Refused) return 'EMAIL_TAKEN'
    throw error
  }
}
