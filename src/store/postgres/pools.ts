// The connections of one process to its database.
import type { OpenOptions } from '../store.ts'
import { type Connection, openPool, type Pool, type PoolOptions } from './connection.ts'

export type Pools = {
  /** Leads are written here: a commit is on disk before it is answered. */
  durable: Pool
  /** Requests are counted and a lead is found by email or ref here: what does not wait for the disk. */
  quick: Pool
  /** Orders are written here: each waits for the lock on its lead, and holds up nothing else meanwhile. */
  orders: Pool
  /** All else, which is not asked for with every request. */
  admin: Pool
  /** How long a request waits for each of its answers, a connection included. */
  timeoutMs: number
}

type PoolsOptions = Pick<OpenOptions, 'poolSize' | 'timeoutMs'> & Pick<PoolOptions, 'url' | 'mayUse'>

/** What is not asked for by a request of the public API may take longer. */
export const adminTimeoutMs = 60_000
/** How long PostgreSQL may take to let a process in that starts, or a command. */
const startMs = 60_000
const adminPoolSize = 4
const ordersPoolSize = 2

/** Limits of a session in which requests wait for answers. */
const limitsOf = (timeoutMs: number) => ({
  // A statement that we give up may yet be carried out; one that PostgreSQL gives up is not.
  statement_timeout: String(Math.round(timeoutMs * 0.9)),
  // If a node hangs in a transaction, PostgreSQL ends it after this time, and its locks with it.
  idle_in_transaction_session_timeout: '2000',
})

export function openPools({ url, poolSize, timeoutMs, mayUse }: PoolsOptions): Pools {
  const settings = {
    ...limitsOf(timeoutMs),
    // A plan that is made while a table is small is kept, so it must not be one that reads the whole table.
    enable_seqscan: 'off',
  }
  const of = { url, connectMs: startMs, mayUse }
  // Whatever is usual for this database or role.
  const onDisk = { synchronous_commit: 'on' }
  return {
    durable: openPool({ ...of, size: poolSize, settings: { ...settings, ...onDisk } }),
    // A count need not wait for the disk.
    quick: openPool({ ...of, size: poolSize, settings: { ...settings, synchronous_commit: 'off' } }),
    orders: openPool({ ...of, size: ordersPoolSize, settings: { ...limitsOf(timeoutMs), ...onDisk } }),
    admin: openPool({
      ...of,
      size: adminPoolSize,
      settings: {
        ...limitsOf(timeoutMs),
        ...onDisk,
        // A statement that waits for a lock holds one of these few connections. It may wait longer than PostgreSQL
        // takes to find a deadlock, a second, but not as long as it may run.
        lock_timeout: String(2 * timeoutMs),
        // Registrations of an account wait for a node or command that hangs in a save. Nothing but SQL is waited for in a
        // transaction: one that is idle for so long is lost even on a busy machine.
        idle_in_transaction_session_timeout: '5000',
      },
    }),
    timeoutMs,
  }
}

/** A transaction on `admin` that may take long: requests of the public API make none. */
export function onAdminPool<T>({ admin }: Pools, work: (connection: Connection) => Promise<T>): Promise<T> {
  return admin.transaction(adminTimeoutMs, '', async (connection) => {
    const longer = connection.query(`SET LOCAL statement_timeout = ${adminTimeoutMs}`, [])
    return (await Promise.all([longer, work(connection)]))[1]
  })
}
