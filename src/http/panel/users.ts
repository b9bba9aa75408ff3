// Coming in: signing in and out, the links that make users, passwords, and the account's users.
import Type from 'typebox'
import { hashInHex } from '../../access/tokens.ts'
import { countTries } from '../../access/tries.ts'
import { emailKey } from '../../access/users.ts'
import { invitationMail, panelLanguages } from '../../core/account-mails.ts'
import type { Seconds } from '../../core/instant.ts'
import { roles } from '../../core/role.ts'
import { closed } from '../schemas.ts'
import { invalid, PanelRefusal, refusedAs } from './errors.ts'
import { mailsOf } from './rates-and-turns.ts'
import { forAnybody, forOwner, forViewer, needPasswords, type PanelParts } from './route.ts'
import { AnyPassword, Email, Id, Name, Password, Token } from './schemas.ts'

const RoleName = Type.Enum([...roles])

export const userRoutes = {
  /** Who is there, and what the first screen needs to know. */
  ...forAnybody('GET /session', {
    async run({ session, parts }) {
      const ways = waysIn(parts)
      if (session === undefined) return { signedIn: false as const, isEmpty: await parts.users.isEmpty(), ways }
      const { user, hasPassword, account } = session
      return { signedIn: true as const, user, hasPassword, account, publicUrl: parts.site.publicUrl, ways }
    },
  }),
  ...forAnybody('POST /session', {
    body: Type.Object({ email: Email, password: AnyPassword }, closed),
    async run({ body, parts, token: before, address, client, now, setSession }) {
      needPasswords(parts)
      const { email, password } = body
      const shown = await parts.users.signIn(email, password, address, client(), now)
      // The second step: `POST /session/code`.
      if ('codeToken' in shown) return { codeToken: shown.codeToken }
      await parts.users.signOut(before)
      setSession(shown.token)
      return { codeToken: null }
    },
  }),
  /** `userId`: who is to be signed out. Somebody else, whom another tab has signed in meanwhile, stays. */
  ...forAnybody('DELETE /session', {
    query: Type.Object({ userId: Type.Optional(Id) }, closed),
    async run({ session, token, query, parts, setSession }) {
      const isOther = session !== undefined && query.userId !== undefined && query.userId !== String(session.user.id)
      if (isOther) return {}
      await parts.users.signOut(token)
      setSession(null)
      return {}
    },
  }),

  ...forAnybody('POST /invitation', {
    body: Type.Object({ token: Token }, closed),
    async run({ body, parts, now }) {
      const invitation = await parts.users.invitation(body.token, now)
      if (invitation === undefined) throw new PanelRefusal('LINK_USED_UP')
      const { accountId } = invitation
      const account = accountId === null ? undefined : await parts.store.configuration.findAccount(accountId)
      return { accountName: account?.name ?? null }
    },
  }),
  ...forAnybody('POST /users', {
    body: Type.Object({ token: Token, email: Email, password: Password, accountName: Type.Optional(Name) }, closed),
    async run({ body, parts, token: before, address, client, by, now, setSession }) {
      needPasswords(parts)
      const { token, email, password, accountName } = body
      await needInvitation(parts, token, accountName, now)
      const joining = { email, password, accountName: accountName ?? '' }
      const joined = parts.users.accept(token, joining, address, client(), by)
      const signedIn = await joined.catch(refusedAs('EMAIL_TAKEN'))
      if (signedIn === undefined) throw new PanelRefusal('LINK_USED_UP')
      await parts.users.signOut(before)
      setSession(signedIn.token)
      return {}
    },
  }),

  ...forViewer('POST /password', {
    body: Type.Object({ current: AnyPassword, next: Password }, closed),
    async run({ session, token, body, parts, by }) {
      needPasswords(parts)
      const { current, next } = body
      await parts.users.changePassword(session, token, current, next, by)
      return {}
    },
  }),
  ...forViewer('GET /users', {
    run: async ({ session, parts }) => ({ users: await parts.users.list(session.account.id) }),
  }),
  ...forOwner('PATCH /users/:userId', {
    body: Type.Object({ role: RoleName }, closed),
    async run({ session, parts, params, body, by }) {
      const { users } = parts
      const user = await users.setRole(session.account.id, params.userId, body.role, by).catch(refusedAs('LAST_OWNER'))
      if (user === undefined) throw new PanelRefusal('NOT_FOUND')
      return { user }
    },
  }),
  ...forOwner('DELETE /users/:userId', {
    async run({ session, parts, params, by }) {
      const removed = await parts.users.remove(session.account.id, params.userId, by).catch(refusedAs('LAST_OWNER'))
      if (!removed) throw new PanelRefusal('NOT_FOUND')
      return {}
    },
  }),

  ...forOwner('GET /invitations', {
    run: async ({ session, parts, now }) => ({
      invitations: await parts.users.openInvitations(session.account.id, now),
    }),
  }),
  ...forOwner('POST /invitations', {
    body: Type.Object(
      { role: RoleName, email: Type.Optional(Email), language: Type.Optional(Type.Enum(panelLanguages)) },
      closed,
    ),
    /** The token stands behind `#`, which no server, log or referrer gets to see. */
    async run({ parts, session, body, by, now, note }) {
      const { users, site, mailer } = parts
      const invited = { role: body.role, email: body.email ?? null }
      // Of users of this account only, whom the owner knows: who is in another is none of theirs.
      const known = await users.list(session.account.id)
      if (known.some(({ email }) => email === emailKey(body.email ?? ''))) throw new PanelRefusal('EMAIL_TAKEN')
      const isMailed = mailer.isOn && invited.email !== null
      if (isMailed) await countTries(parts.store.access, [mailsOf(session)], now)
      const token = await users.invite(session.user, invited, by).catch(refusedAs('NOT_ALLOWED'))
      const made = { id: hashInHex(token), url: `${site.publicUrl}/join#${token}` }
      if (!isMailed) return { ...made, mail: 'none' as const }
      const mail = invitationMail(body.language ?? 'en', made.url, session.user.email)
      // The link is made: where the mail is not taken, somebody can still pass it on.
      try {
        await mailer.send({ ...mail, to: invited.email ?? '' })
        return { ...made, mail: 'sent' as const }
      } catch (error) {
        note(error)
        return { ...made, mail: 'failed' as const }
      }
    },
  }),
  /** Its link lets nobody in any more. */
  ...forOwner('DELETE /invitations/:invitationId', {
    async run({ session, parts, params, by }) {
      const withdrawn = await parts.users.withdraw(session.account.id, params.invitationId, by)
      if (!withdrawn) throw new PanelRefusal('NOT_FOUND')
      return {}
    },
  }),
  ...forOwner('PATCH /account', {
    body: Type.Object({ name: Name }, closed),
    async run({ session, parts, body, by }) {
      await parts.store.configuration.updateAccount(session.account.id, { name: body.name }, by)
      return {}
    },
  }),
}

/** @throws PanelRefusal where the link does not work (any more), or makes an account whose name is missing */
export async function needInvitation(
  { users }: PanelParts,
  token: string,
  accountName: string | undefined,
  now: Seconds,
): Promise<void> {
  const invitation = await users.invitation(token, now)
  if (invitation === undefined) throw new PanelRefusal('LINK_USED_UP')
  if (invitation.accountId === null && accountName === undefined) throw invalid('accountName', 'is missing')
}

/** How people come in here, and whether links can be mailed. */
function waysIn({ provider, mailer }: PanelParts) {
  const byPassword = !provider?.isOnly
  return { byPassword, byProvider: provider !== null, hasMail: mailer.isOn }
}
