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
import { type OneAtATime, oneAtATime } from '../one-at-a-time.ts'
import { PanelRefusal } from './errors.ts'

/** A body takes some 6 ms of work, so one user gets at most a quarter of the server's thread for each queue. */
const restMs = 20

/** Invitations and test mails of all users together: an account can make as many users as it likes, with any email. */
export const mailsOf = ({ account }: Session): TryLimit => ({
  name: `mails of account ${account.id}`,
  most: 30,
  seconds: 3_600,
})
export const testMailsOf = ({ user }: Session): TryLimit => ({ name: `test mail ${user.id}`, most: 5, seconds: 3_600 })

export type Limits = ReturnType<typeof openLimits>

/** `building` takes turns by account. */
export function openLimits(building: OneAtATime) {
  /** The builder, which all accounts share, needs a second or two for an image. Saving a style builds two or three. */
  const countBuildOfUser = perMinute(12)
  const countBuildOfAccount = perMinute(24)
  const sending = { preview: oneAtATime(), save: oneAtATime(), large: oneAtATime() }
  return {
    /** For an account: each is a commit that waits for the disk. Erasing several leads in one step counts as one. */
    countErasure: perMinute(60),
    /** For an account: each may write 500 entries of the audit log. */
    countDeadlines: perMinute(60),
    /** For an account: with many campaigns each search for a person is thousands of small reads. */
    countSearch: perMinute(60),
    /** For an account: each holds a connection to anybody's server for up to 15 seconds, beside those of the queue. */
    countTest: perMinute(60),
    /**
     * For a user. The worst settings, with cycles and hundreds of dates to leave out, block the process for 40 ms, so
     * that this is a sixth of the time. The editor asks when the user stops typing, three times a second at most.
     */
    countPreview: perMinute(240),
    turnToBuild({ user, account }: Session, now: Seconds): Turn {
      return async (build) => {
        countBuildOfUser(user.id, now)
        countBuildOfAccount(account.id, now)
        return building(account.id, build)
      }
    },
    /** By user: with many searches at once everybody would wait for all of them. */
    readingMuch: oneAtATime(),
    /**
     * A large body, even a wrong one, or checking a campaign occupies the server's own thread for a while. Resolves when
     * the user's earlier ones have been answered and others have had their turn. Small ones do not wait behind a large
     * one that comes over a slow line, nor previews behind a save that builds countdown images.
     */
    turnToSend({ user }: Session, queue: keyof typeof sending, reply: FastifyReply): Promise<void> {
      return new Promise((resolve) => {
        sending[queue](user.id, async () => {
          resolve()
          // It is no failure if the client has hung up, maybe before its turn.
          await finished(reply.raw).catch(() => undefined)
          await sleep(restMs)
        })
      })
    },
  }
}

/** Counts for a user or an account by its id; above the limit it throws PanelRefusal until the minute is over. */
function perMinute(most: number): (id: number, now: Seconds) => void {
  const count = rateWindow()
  return (id, now) => {
    const { allowed, resetSeconds } = count(id, most, now * 1_000)
    if (!allowed) throw new PanelRefusal('TOO_MANY_TRIES', [], resetSeconds)
  }
}
