// Tries of what is limited, such as signing in: kept by a keyed hash of whose they are, and not for long.
import { createHmac } from 'node:crypto'
import type { Seconds } from '../core/instant.ts'
import type { Runner, Sql } from './sql.ts'

/** How often something was tried in the window that is open, whether that was the most, and when the window ends. */
export type Tries = { count: number; isFull: boolean; endsAt: Seconds }

/** `name` says what is tried, and whose it is: `email ada@example.com`. In a minute, or in `seconds`, an hour at most. */
export type TryLimit = { name: string; most: number; seconds?: number }

const minuteSeconds = 60
const mostSeconds = 3_600

/**
 * A window that ends too late was opened before the clock was set back: it is over, so that nobody is locked out. One
 * that ends a little too late may be that of a node whose clock is ahead: it goes on.
 */
const isOver = '(ends_at <= ? OR ends_at > ?)'
const latestEnd = (now: Seconds, seconds: number): Seconds => now + 2 * seconds

export function triesOn({ read, writeUnflushed }: Pick<Runner, 'read' | 'writeUnflushed'>, key: Uint8Array) {
  const bucketOf = (name: string) => createHmac('sha256', key).update(`tries ${name}`).digest()

  async function find(sql: Sql, { name, most, seconds = minuteSeconds }: TryLimit, now: Seconds): Promise<Tries> {
    const select = `SELECT tried, ends_at FROM tries WHERE bucket = ? AND NOT ${isOver}`
    const row = await sql.get(select, bucketOf(name), now, latestEnd(now, seconds))
    const { tried, ends_at } = row ?? { tried: 0, ends_at: now }
    return { count: tried, isFull: tried >= most, endsAt: ends_at }
  }

  async function count(sql: Sql, { name, most, seconds = minuteSeconds }: TryLimit, now: Seconds): Promise<boolean> {
    const bucket = bucketOf(name)
    const endsAt = now + seconds
    // Asked for at once: to PostgreSQL it is one way.
    const [, counted] = await Promise.all([
      sql.run(`DELETE FROM tries WHERE bucket = ? AND ${isOver}`, bucket, now, latestEnd(now, seconds)),
      sql.run(
        `INSERT INTO tries (bucket, tried, ends_at) VALUES (?, 1, ?)
          ON CONFLICT (bucket) DO UPDATE SET tried = tries.tried + 1 WHERE tries.tried < ?`,
        ...[bucket, endsAt, most],
      ),
    ])
    return counted > 0
  }

  return {
    findTries: (limits: readonly TryLimit[], now: Seconds): Promise<Tries[]> =>
      read((sql) => Promise.all(limits.map((limit) => find(sql, limit, now)))),

    /** Counts a try of each that has not had its most; false where one has. */
    countTries: (limits: readonly TryLimit[], now: Seconds): Promise<boolean> =>
      writeUnflushed(async (sql) =>
        (await Promise.all(limits.map((limit) => count(sql, limit, now)))).every((isCounted) => isCounted),
      ),

    forgetTries: (name: string): Promise<number> =>
      writeUnflushed((sql) => sql.run('DELETE FROM tries WHERE bucket = ?', bucketOf(name))),

    /** Removes what no longer counts. */
    removeOldTries: (now: Seconds): Promise<number> =>
      writeUnflushed((sql) => sql.run(`DELETE FROM tries WHERE ${isOver}`, now, latestEnd(now, mostSeconds))),
  }
}
