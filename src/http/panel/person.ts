// One person over all campaigns of the account. The address is only in bodies.
import Type from 'typebox'
import { erasePerson, findPerson, personDocument } from '../../leads/person.ts'
import { closed } from '../schemas.ts'
import { forMember, forViewer } from './route.ts'
import { Email } from './schemas.ts'

export const personRoutes = {
  /** As `lead find` prints it. */
  ...forViewer('POST /person', {
    body: Type.Object({ email: Email }, closed),
    async run({ session: { account }, parts, body, now }) {
      parts.limits.countSearch(account.id, now)
      return personDocument(await findPerson(parts.store, account.id, body.email, now))
    },
  }),
  /** Exactly this address, not another spelling of it. */
  ...forMember('POST /person/erasure', {
    body: Type.Object({ email: Email }, closed),
    async run({ session: { account }, parts, body, by }) {
      parts.limits.countErasure(account.id, by.at)
      return { campaignIds: await erasePerson(parts.store, account.id, body.email, by) }
    },
  }),
}
