// The second factor: signing in with it, and what a user does with their own.
import Type from 'typebox'
import { closed } from '../schemas.ts'
import { PanelRefusal } from './errors.ts'
import { forAnybody, forViewer, needPasswords } from './route.ts'
import { AnyPassword } from './schemas.ts'

/** As an app shows it, or a recovery code; a guess need be neither. */
const Code = Type.String({ minLength: 1, maxLength: 40 })
/** What the answer before gave. */
const Sealed = Type.String({ minLength: 1, maxLength: 2_000 })

export const secondFactorRoutes = {
  /** The second step of signing in, after `POST /session`. */
  ...forAnybody('POST /session/code', {
    body: Type.Object({ codeToken: Sealed, code: Code }, closed),
    async run({ body, parts, token: before, client, now, setSession }) {
      needPasswords(parts)
      const { codeToken, code } = body
      const { token } = await parts.users.signInWithCode(codeToken, code, client(), now)
      await parts.users.signOut(before)
      setSession(token)
      return {}
    },
  }),

  ...forViewer('GET /factor', {
    run: ({ session, parts }) => parts.users.factorState(session.user.id),
  }),
  /** The password, so that a stolen session cannot lock its user out. */
  ...forViewer('POST /factor/offer', {
    body: Type.Object({ password: AnyPassword }, closed),
    async run({ session, body, parts, now }) {
      needPasswords(parts)
      const { user, hasFactor } = await parts.users.checkPassword(session.user, body.password, now)
      if (hasFactor) throw new PanelRefusal('CHANGED_MEANWHILE')
      return parts.users.offerFactor(user, now)
    },
  }),
  ...forViewer('POST /factor', {
    body: Type.Object({ offer: Sealed, code: Code }, closed),
    async run({ session, token, body, parts, by }) {
      const { offer, code } = body
      return { recoveryCodes: await parts.users.switchFactorOn(session.user, { offer, code, token }, by) }
    },
  }),
  ...forViewer('POST /factor/off', {
    body: Type.Object({ code: Code }, closed),
    async run({ session, body, parts, by }) {
      await parts.users.switchFactorOff(session.user, body.code, by)
      return {}
    },
  }),
  ...forViewer('POST /factor/recovery-codes', {
    body: Type.Object({ code: Code }, closed),
    async run({ session, body, parts, by }) {
      return { recoveryCodes: await parts.users.makeRecoveryCodes(session.user, body.code, by) }
    },
  }),
}
