// A new password by a link that is mailed.
import Type from 'typebox'
import { type PanelLanguage, panelLanguages, resetMail } from '../../core/account-mails.ts'
import type { Seconds } from '../../core/instant.ts'
import { closed } from '../schemas.ts'
import { PanelRefusal } from './errors.ts'
import { forAnybody, needPasswords, type PanelParts } from './route.ts'
import { Email, Password, Token } from './schemas.ts'

export const passwordResetRoutes = {
  /** The same answer, as fast, whether or not the email has a user: what differs happens afterwards. */
  ...forAnybody('POST /password-resets', {
    body: Type.Object({ email: Email, language: Type.Enum(panelLanguages) }, closed),
    async run({ body: { email, language }, parts, address, now, note }) {
      needPasswords(parts)
      if (!parts.mailer.isOn) throw new PanelRefusal('NO_MAIL_SERVER')
      await parts.passwordReset.ask(email, address, now)
      parts.mailer.waitFor(sendLink(parts, email, language, now).catch(note))
      return {}
    },
  }),
  /** Whose link it is, so that the browser knows whose password it saves. */
  ...forAnybody('POST /password-reset', {
    body: Type.Object({ token: Token }, closed),
    async run({ body, parts, now }) {
      needPasswords(parts)
      const email = await parts.passwordReset.emailOf(body.token, now)
      if (email === undefined) throw new PanelRefusal('LINK_USED_UP')
      return { email }
    },
  }),
  ...forAnybody('PUT /password-reset', {
    body: Type.Object({ token: Token, password: Password }, closed),
    async run({ body, parts, by }) {
      needPasswords(parts)
      const { address, at } = by
      const isSet = await parts.passwordReset.use(body.token, body.password, { kind: 'user', address, at })
      if (!isSet) throw new PanelRefusal('LINK_USED_UP')
      return {}
    },
  }),
}

async function sendLink(parts: PanelParts, email: string, language: PanelLanguage, now: Seconds): Promise<void> {
  const issued = await parts.passwordReset.issue(email, now)
  if (issued === undefined) return
  // The token is behind `#`, which no server, log or referrer sees.
  await parts.mailer.send({ to: issued.email, ...resetMail(language, `${parts.site.publicUrl}/reset#${issued.token}`) })
}
