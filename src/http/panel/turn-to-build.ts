// Users of the panel have countdown images built, by the one builder that works for all accounts.
import type { Seconds } from '../../core/instant.ts'
import { countRequest, newRateWindow } from '../../core/rate-window.ts'
import type { Turn } from '../../countdown/templates.ts'
import type { Session } from '../../store/access.ts'
import { PanelRefusal } from './errors.ts'

/** Builds in a minute, in this process; each takes the builder a second or two. A saved style takes two. */
const mostOfUser = 12
const mostOfAccount = 24

const ofUsers = newRateWindow()
const ofAccounts = newRateWindow()
/** The last build of each account that waits or runs. */
const lastOf = new Map<number, Promise<unknown>>()

/** One build of an account at a time, so that another's waits for one of them and not for all. */
export function turnToBuild({ user, account }: Session, now: Seconds): Turn {
  return async (build) => {
    for (const verdict of [
      countRequest(ofUsers, user.id, mostOfUser, now * 1_000),
      countRequest(ofAccounts, account.id, mostOfAccount, now * 1_000),
    ]) {
      if (!verdict.allowed) throw new PanelRefusal('TOO_MANY_TRIES', [], verdict.resetSeconds)
    }
    const built = (lastOf.get(account.id) ?? Promise.resolve()).then(build)
    const last = built.catch(() => undefined)
    lastOf.set(account.id, last)
    try {
      return await built
    } finally {
      if (lastOf.get(account.id) === last) lastOf.delete(account.id)
    }
  }
}
