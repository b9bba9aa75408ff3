// The connections of one process to its database.
import { type Connection, openPool, type Pool } from './connection.ts'

export type Pools = {
  /** Leads are written here: a commit is on disk before it is answered. */
  durable: Pool
  /** Requests are counted and leads are read here. */
  counting: Pool
  /** All else, which is not asked for with every request. */
  admin: Pool
  /** How long a request waits for each of its answers, a connection included. */
  timeoutMs: number
}

type PoolsOptions = {
  url: string
  /** Connections of `durable` and of `counting`. */
  poolSize: number
  timeoutMs: number
  /** While it says no, nothing is sent, and every question fails with StoreUnavailable. */
  mayUse(): boolean
}

/** What is not asked for by a request of the public API may take longer. */
export const adminTimeoutMs = 60_000
/** How long PostgreSQL may take to let a process in that starts, or a command. */
const startMs = 60_000
const adminPoolSize = 4

/** Of what a request waits for. */
export const limitsOf = (timeoutMs: number) => ({
  // A statement that we give up may yet be carried out; one that PostgreSQL gives up is not.
  statement_timeout: String(Math.round(timeoutMs * 0.9)),
  // A node that hangs in a transaction keeps the locks of that: not for long.
  idle_in_transaction_session_timeout: '2000',
})

export function openPools({ url, poolSize, timeoutMs, mayUse }: PoolsOptions): Pools {
  const settings = {
    ...limitsOf(timeoutMs),
    // A plan may be made while a table is small, and is kept: never one that reads the table whole.
    enable_seqscan: 'off',
  }
  const of = { url, connectMs: startMs, mayUse }
  return {
    durable: openPool({ ...of, size: poolSize, settings }),
    // A count need not wait for the disk.
    counting: openPool({ ...of, size: poolSize, settings: { ...settings, synchronous_commit: 'off' } }),
    admin: openPool({
      ...of,
      size: adminPoolSize,
      settings: {
        ...limitsOf(timeoutMs),
        // What waits for somebody's lock keeps one of these few: longer than it takes to see a deadlock, a second, but
        // not as long as it may work.
        lock_timeout: String(2 * timeoutMs),
        // What is under way there takes no longer either: later than that its node is lost.
        idle_in_transaction_session_timeout: String(adminTimeoutMs),
      },
    }),
    timeoutMs,
  }
}

/** A transaction on `admin` for which nobody of the public API waits. */
export function patiently<T>({ admin }: Pools, work: (connection: Connection) => Promise<T>): Promise<T> {
  return admin.transaction(adminTimeoutMs, '', async (connection) => {
    const longer = connection.query(`SET LOCAL statement_timeout = ${adminTimeoutMs}`, [])
    return (await Promise.all([longer, work(connection)]))[1]
  })
}
