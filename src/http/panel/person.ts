// One person over all campaigns of the account. The address travels in bodies only.
import Type from 'typebox'
import { countRequest, newRateWindow } from '../../core/rate-window.ts'
import { erasePerson, findPerson, personDocument } from '../../leads/person.ts'
import { countErasure } from './erase-limit.ts'
import { PanelRefusal } from './errors.ts'
import { forReader, forUser } from './route.ts'
import { closed, Email } from './schemas.ts'

/** Of one account in a minute, in this process: with many campaigns each is thousands of small reads. */
const mostSearches = 60
const searches = newRateWindow()

export const personRoutes = {
  /** As `lead find` prints it. */
  ...forReader('POST /person', {
    body: Type.Object({ email: Email }, closed),
    async run({ session: { account }, parts, body, now }) {
      const { allowed, resetSeconds } = countRequest(searches, account.id, mostSearches, now * 1_000)
      if (!allowed) throw new PanelRefusal('TOO_MANY_TRIES', [], resetSeconds)
      return personDocument(await findPerson(parts.store, account.id, body.email, now))
    },
  }),
  /** Exactly this address, not another spelling of it. */
  ...forUser('POST /person/erasure', {
    body: Type.Object({ email: Email }, closed),
    async run({ session, parts, body, now }) {
      countErasure(session, now)
      return { campaignIds: await erasePerson(parts.store, session.account.id, body.email) }
    },
  }),
}
