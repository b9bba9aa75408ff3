// Signing in by the provider of OpenID Connect: the way there. The way back is provider-callback.ts.
import Type from 'typebox'
import { triesFrom } from '../../access/users.ts'
import { invalid, PanelRefusal } from './errors.ts'
import { forAnybody } from './route.ts'
import { closed, Name } from './schemas.ts'

export const callbackPath = '/panel/oidc/callback'

const Invitation = Type.Object(
  { token: Type.String({ minLength: 1, maxLength: 100 }), accountName: Type.Optional(Name) },
  closed,
)

export const providerRoutes = {
  /**
   * Where the browser is to go. `to` is a screen of the panel: an address of elsewhere would be an open redirect. The
   * invitation that somebody has followed comes along sealed, so that its token is in no address.
   */
  ...forAnybody('POST /provider', {
    body: Type.Object(
      {
        to: Type.String({ pattern: '^/(?![/\\\\])[^\\s\\x00\\\\]*$', maxLength: 500 }),
        invitation: Type.Optional(Invitation),
      },
      closed,
    ),
    async run({ body: { to, invitation }, parts, address, now, keepFlow }) {
      const { provider, store, users, site } = parts
      if (provider === null) throw new PanelRefusal('NO_PROVIDER')
      if (!(await store.access.countTries(triesFrom(address), now))) throw new PanelRefusal('TOO_MANY_TRIES', [], 60)
      if (invitation !== undefined) {
        const open = await users.invitation(invitation.token, now)
        if (open === undefined) throw new PanelRefusal('LINK_USED_UP')
        if (open.accountId === null && invitation.accountName === undefined) throw invalid('accountName', 'is missing')
      }
      const { url, checks } = await provider.begin(`${site.publicUrl}${callbackPath}`)
      const following = invitation ? { token: invitation.token, accountName: invitation.accountName ?? '' } : null
      await keepFlow({ checks, to, following })
      return { url }
    },
  }),
}
