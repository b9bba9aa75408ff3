// The statements that both engines share, on connections of PostgreSQL.
import type { Runner, Sql } from '../sql.ts'
import { type Connection, despiteDeadlocks, prepared } from './connection.ts'
import { onAdminPool, type Pools } from './pools.ts'

/** Where a node announces each change of settings. */
export const channel = 'lastcall'

export function runnerOn(pools: Pools): Runner {
  const { admin, orders, timeoutMs } = pools
  const write: Runner['write'] = (work) =>
    despiteDeadlocks(() => onAdminPool(pools, (connection) => work(sqlOn(connection))))
  return {
    read: (work) => admin.use(timeoutMs, (connection) => work(sqlOn(connection))),
    snapshot: (work) =>
      admin.transaction(timeoutMs, 'ISOLATION LEVEL REPEATABLE READ, READ ONLY', (connection) =>
        work(sqlOn(connection)),
      ),
    write,
    writeInTime: (work) =>
      despiteDeadlocks(() => orders.transaction(timeoutMs, '', (connection) => work(sqlOn(connection)))),
    writeUnflushed: (work) =>
      write(async (sql) => (await Promise.all([sql.run('SET LOCAL synchronous_commit = off'), work(sql)]))[1]),
  }
}

export function sqlOn(connection: Connection): Sql {
  const { query } = connection
  return {
    rowsAtOnce: 200,
    countsAtOnce: 1_000,
    all: async (sql, ...values) => (await query(sql, values)).rows,
    get: async (sql, ...values) => (await query(sql, values)).rows[0],
    run: async (sql, ...values) => (await query(sql, values)).changes,
    async versionOf(accountId) {
      const [row] = await connection.rows<[version: number]>(accountVersion, [accountId])
      return row?.[0] as number
    },
    async holdSettings(accountId) {
      await connection.rows(shareLock, [lockOf(accountId)])
    },
    async holdCounted(accountId) {
      await connection.rows(shareLock, [countsLockOf(accountId)])
    },
    async stopCounts(accountId) {
      await query('SELECT pg_advisory_xact_lock(?)', [countsLockOf(accountId)])
    },
    async beginChange(accountId) {
      await query('SELECT pg_advisory_xact_lock(?)', [lockOf(accountId)])
      await query('UPDATE accounts SET version = version + 1 WHERE id = ?', [accountId])
      await query('SELECT pg_notify(?, ?)', [channel, String(accountId)])
    },
  }
}

/**
 * Transactions that write leads share the lock of their account; one that changes the account's settings has it alone.
 * So settings do not change between the decision on a lead and its commit. Account ids are below 2^32 (ref.ts); "LC"
 * above them keeps the number apart from locks of other programs.
 */
const lockOf = (accountId: number): number => 0x4c43 * 2 ** 32 + accountId
/**
 * Transactions that store counts share this lock of their account; one that erases a lead or deletes a campaign has it
 * alone. So nothing is counted of a lead behind its erasure. It is not the lock above: no registration waits for an
 * erasure, and none for a node that hangs while it stores counts.
 */
const countsLockOf = (accountId: number): number => 0x4c44 * 2 ** 32 + accountId

const shareLock = prepared('share_lock', 'SELECT pg_advisory_xact_lock_shared(?::bigint)')
const accountVersion = prepared('account_version', 'SELECT version FROM accounts WHERE id = ?')
