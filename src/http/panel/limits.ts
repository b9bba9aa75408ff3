// What users of the panel may ask for in a minute, and what has to wait for its turn. Counted in this process,
// but for what goes out in mails.
import { finished } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'
import type { Seconds } from '../../core/instant.ts'
import { countRequest, newRateWindow } from '../../core/rate-window.ts'
import type { Turn } from '../../countdown/templates.ts'
import type { Session } from '../../store/access.ts'
import type { Store } from '../../store/store.ts'
import { PanelRefusal } from './errors.ts'

/** Counts for a user or an account by its id, and throws PanelRefusal from there on until the minute is over. */
export function perMinute(most: number): (id: number, now: Seconds) => void {
  const window = newRateWindow()
  return (id, now) => {
    const { allowed, resetSeconds } = countRequest(window, id, most, now * 1_000)
    if (!allowed) throw new PanelRefusal('TOO_MANY_TRIES', [], resetSeconds)
  }
}

/** One more of `most` mails in an hour, over all servers. `name` says which, and whose. @throws PanelRefusal */
export async function countMail({ access }: Store, name: string, most: number, now: Seconds): Promise<void> {
  const limit = { name, most, seconds: 3_600 }
  if (await access.countTries([limit], now)) return
  const [tries] = await access.findTries([limit], now)
  throw new PanelRefusal('TOO_MANY_TRIES', [], Math.max(1, (tries?.endsAt ?? now) - now))
}

/** Invitations and test mails of all users of an account: it makes as many users as it likes, with any email. */
const mailsOfAccount = 30
export const countMailOf = (store: Store, { account }: Session, now: Seconds) =>
  countMail(store, `mails of account ${account.id}`, mailsOfAccount, now)

/** Runs what belongs to one id one after the other, in the order of the calls. */
function oneAtATime() {
  const lastOf = new Map<number, Promise<unknown>>()
  return async <T>(id: number, work: () => Promise<T>): Promise<T> => {
    const result = (lastOf.get(id) ?? Promise.resolve()).then(work)
    const last = result.catch(() => undefined)
    lastOf.set(id, last)
    try {
      return await result
    } finally {
      if (lastOf.get(id) === last) lastOf.delete(id)
    }
  }
}

/** Each is a commit of its own, which waits for the disk. Several leads that are erased in one step count as one. */
const countErasureOf = perMinute(60)
export const countErasure = ({ account }: Session, now: Seconds) => countErasureOf(account.id, now)

/** A countdown image takes the builder, which works for all accounts, a second or two. A saved style takes two. */
const countBuildOfUser = perMinute(12)
const countBuildOfAccount = perMinute(24)
const building = oneAtATime()

/** One build of an account at a time, so that another's waits for one of them and not for all. */
export function turnToBuild({ user, account }: Session, now: Seconds): Turn {
  return async (build) => {
    countBuildOfUser(user.id, now)
    countBuildOfAccount(account.id, now)
    return building(account.id, build)
  }
}

/** By the id of a user: with many at once everybody would wait for the steps of all of them. */
export const readingMuch = oneAtATime()

const sending = oneAtATime()
/** The work of a large body is some 6 ms, so that one user has a quarter of the server's thread at most. */
const restMs = 20

/**
 * A large body takes the server's own thread for a while, whatever is wrong with it. Resolves when the user's large
 * bodies before this one have been answered and others had time to come in between.
 */
export function turnToSend({ user }: Session, reply: FastifyReply): Promise<void> {
  return new Promise((resolve) => {
    sending(user.id, async () => {
      resolve()
      // A client that hung up, maybe before it was its turn, is no failure.
      await finished(reply.raw).catch(() => undefined)
      await sleep(restMs)
    })
  })
}
