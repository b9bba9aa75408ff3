// Sending people to the OpenID Connect provider. Their return is in provider-callback.ts.
import Type from 'typebox'
import { countTries, triesFrom } from '../../access/tries.ts'
import { closed } from '../schemas.ts'
import { PanelRefusal } from './errors.ts'
import { forAnybody } from './route.ts'
import { Name, Token } from './schemas.ts'
import { needInvitation } from './users.ts'

export const callbackPath = '/panel/oidc/callback'

const Invitation = Type.Object({ token: Token, accountName: Type.Optional(Name) }, closed)

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
      const { provider, store, site } = parts
      if (provider === null) throw new PanelRefusal('NO_PROVIDER')
      await countTries(store.access, triesFrom(address), now)
      if (invitation !== undefined) await needInvitation(parts, invitation.token, invitation.accountName, now)
      const { url, checks } = await provider.begin(`${site.publicUrl}${callbackPath}`)
      const following = invitation ? { token: invitation.token, accountName: invitation.accountName ?? '' } : null
      await keepFlow({ checks, to, following })
      return { url }
    },
  }),
}
