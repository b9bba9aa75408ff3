// Limits for users of the panel, in a minute, and work that has to wait for its turn. Counted in this process, except
// mails, which all servers count together.
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Seconds } from '../../core/instant.ts'
import { rateWindow } from '../../core/rate-window.ts'
import type { Turn } from '../../countdown/templates.ts'
import type { Session } from '../../store/access.ts'
import type { TryLimit } from '../../store/tries.ts'
import { building, oneAtATime } from '../one-at-a-time.ts'
import { PanelRefusal } from './errors.ts'

/** Counts for a user or an account by its id; above the limit it throws PanelRefusal until the minute is over. */
export function perMinute(most: number): (id: number, now: Seconds) => void {
  const count = rateWindow()
  return (id, now) => {
    const { allowed, resetSeconds } = count(id, most, now * 1_000)
    if (!allowed) throw new PanelRefusal('TOO_MANY_TRIES', [], resetSeconds)
  }
}

/** Invitations and test mails of all users together: an account can make as many users as it likes, with any email. */
export const mailsOf = ({ account }: Session): TryLimit => ({
  name: `mails of account ${account.id}`,
  most: 30,
  seconds: 3_600,
})
export const testMailsOf = ({ user }: Session): TryLimit => ({ name: `test mail ${user.id}`, most: 5, seconds: 3_600 })

/** For an account: each is a commit that waits for the disk. Erasing several leads in one step counts as one. */
export const countErasure = perMinute(60)

/** The builder, which all accounts share, needs a second or two for an image. Saving a style builds two or three. */
const countBuildOfUser = perMinute(12)
const countBuildOfAccount = perMinute(24)

export function turnToBuild({ user, account }: Session, now: Seconds): Turn {
  return async (build) => {
    countBuildOfUser(user.id, now)
    countBuildOfAccount(account.id, now)
    return building(account.id, build)
  }
}

/** By user: with many searches at once everybody would wait for all of them. */
export const readingMuch = oneAtATime()

const sending = { preview: oneAtATime(), save: oneAtATime(), large: oneAtATime() }
/** A body takes some 6 ms of work, so one user gets at most a quarter of the server's thread for each queue. */
const restMs = 20

/**
 * A large body, even a wrong one, or checking a campaign occupies the server's own thread for a while. Resolves when the
 * user's earlier ones have been answered and others have had their turn. Small ones do not wait behind a large one that
 * comes over a slow line, nor previews behind a save that builds countdown images.
 */
export function turnToSend({ user }: Session, queue: keyof typeof sending, reply: FastifyReply): Promise<void> {
  return new Promise((resolve) => {
    sending[queue](user.id, async () => {
      resolve()
      // It is no failure if the client has hung up, maybe before its turn.
      await finished(reply.raw).catch(() => undefined)
      await sleep(restMs)
    })
  })
}
