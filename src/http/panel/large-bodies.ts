// A large body takes the server's own thread for a while, whatever is wrong with it.
import type { FastifyReply } from 'fastify'
import type { Session } from '../../store/access.ts'

/** The end of the last one of each user. */
const endOf = new Map<number, Promise<unknown>>()

/** Resolves when the user's large bodies before this one have been answered, so that others come in between. */
export async function turnToSend({ user }: Session, reply: FastifyReply): Promise<void> {
  const before = endOf.get(user.id)
  const answered = new Promise((resolve) => reply.raw.once('close', resolve))
  const end = Promise.all([before, answered])
  endOf.set(user.id, end)
  end.then(() => {
    if (endOf.get(user.id) === end) endOf.delete(user.id)
  })
  await before
}
