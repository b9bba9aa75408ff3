import { StoreUnavailable, UnusableDatabase } from '../errors.ts'
import { latestVersion } from '../migrations.ts'
import { sharedParts } from '../parts.ts'
import { refCipher } from '../ref.ts'
import type { Sql } from '../sql.ts'
import type { OpenOptions, Store } from '../store.ts'
import type { CopyEnd } from '../table-copy.ts'
import { hearAnnouncements } from './announcements.ts'
import { postgresConfiguration } from './configuration.ts'
import { applicationBegin, applicationName, openPool, type Pool } from './connection.ts'
import { postgresEnd } from './copy-end.ts'
import { assertCluster, type Distribution, distribute } from './distribution.ts'
import { leadsOn } from './leads.ts'
import { lockMigrations, longestMs, migrate } from './migrations.ts'
import { adminTimeoutMs, openPools } from './pools.ts'
import { clock, ratesOn } from './rates.ts'
import { runnerOn } from './sql-on.ts'

type PostgresOptions = Omit<OpenOptions, 'lockWaitMs'> & { url: string }

/** Connects to the database and brings it to this version. @throws UnusableDatabase */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const { timeoutMs, isServer, mayCreate } = options
  // False once another database has taken the place of ours, or ours is newer: it is neither read nor written.
  let isOurs = () => true
  const pools = openPools({ ...options, mayUse: () => isOurs() })
  const all = [pools.admin, pools.orders, pools.durable, pools.quick]
  await usable(all, () => migrate(pools.admin, mayCreate))
  if (isServer) {
    await usable(all, () => Promise.all(all.map((pool) => pool.fill())))
    // Until here no request waits; from now on a connection may take only as long as a request waits.
    for (const pool of all) pool.limitConnecting(timeoutMs)
  }
  const runner = runnerOn(pools)
  const installation = await runner.read((sql) => sql.get('SELECT ref_key FROM installation'))
  const refKey: Uint8Array = installation?.ref_key
  const listeners: (() => void)[] = []
  const changed = () => {
    for (const listener of listeners) listener()
  }
  const announcements = hearAnnouncements({ ...options, refKey, changed })
  isOurs = announcements.isOurs
  // Waits here, since the rest of the start keeps the process busy: it would listen before it knows that it is ready.
  if (isServer) await announcements.begun
  return {
    configuration: postgresConfiguration(pools, runner),
    leads: leadsOn(pools, runner, refCipher(refKey)),
    ...sharedParts(runner, refKey, clock),
    rates: ratesOn(pools, refKey),
    onChange: (listener) => {
      listeners.push(listener)
    },
    isReady: announcements.isHeard,
    isOurs: announcements.isOurs,
    otherZoneData: () => runner.read(otherZoneData),
    async close() {
      announcements.close()
      await Promise.all(all.map((pool) => pool.close()))
    },
  }
}

async function otherZoneData(sql: Sql): Promise<string[]> {
  const rows = await sql.all(
    `SELECT DISTINCT application_name AS name FROM pg_stat_activity
     WHERE datname = current_database() AND starts_with(application_name, ?) AND application_name <> ? ORDER BY name`,
    applicationBegin,
    applicationName(),
  )
  return rows.map(({ name }) => name.slice(applicationBegin.length))
}

/** Brings the database to this version, and does nothing else. @throws UnusableDatabase */
export async function migratePostgres(url: string): Promise<{ version: number; applied: number }> {
  const pool = openPool({ url, size: 1, settings: {}, connectMs: adminTimeoutMs })
  const applied = await usable([pool], () => migrate(pool))
  await pool.close()
  return { version: latestVersion, applied }
}

/**
 * Brings the database to this version and divides its tables by account, `shards` of each; what is divided already
 * stays. @throws Refused where there is no Citus, UnusableDatabase
 */
export async function distributePostgres(url: string, shards: number | undefined): Promise<Distribution> {
  const pool = openPool({ url, size: 1, settings: {}, connectMs: adminTimeoutMs })
  return usable([pool], async () => {
    // Before the database gets tables, since it may not be the one that was meant.
    await pool.use(adminTimeoutMs, assertCluster)
    await migrate(pool)
    const made = await pool.transaction(longestMs, '', async (connection) => {
      await lockMigrations(connection)
      return distribute(connection, shards)
    })
    await pool.close()
    return made
  })
}

export async function openPostgresEnd(url: string, isTarget: boolean): Promise<CopyEnd> {
  // Counting, or ANALYZE, of a large table takes longer than a limit that is usual for the database or the role.
  const settings = { statement_timeout: '0', lock_timeout: '0', idle_in_transaction_session_timeout: '0' }
  const pool = openPool({ url, size: 2, settings, connectMs: adminTimeoutMs })
  await usable([pool], () => migrate(pool, isTarget, isTarget))
  return postgresEnd(pool)
}

/** PostgreSQL's code. */
const insufficientPrivilege = '42501'
/** The driver's words where it was given none, or an empty one. */
const noPassword = 'client password must be'

/** What PostgreSQL says when it does not let us in, in one line; the address may hold a password. */
async function usable<T>(pools: Pool[], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await Promise.all(pools.map((pool) => pool.close()))
    const { code, message, cause } = error as Error & { code?: string; cause?: { message?: string; code?: string } }
    const said = cause?.message || cause?.code || message
    const why = said.includes(noPassword) ? 'it wants a password: put it into the address, or set PGPASSWORD' : said
    const isUntrusted = /SELF_SIGNED|^UNABLE_TO_(?:VERIFY|GET_ISSUER)/.test(cause?.code ?? '')
    const ca = isUntrusted ? '; let sslrootcert in the address name the file of its CA' : ''
    const then = code === insufficientPrivilege ? '; its user must own the database' : ca
    if (then === '' && !(error instanceof StoreUnavailable)) throw error
    throw new UnusableDatabase(`cannot use the PostgreSQL of DATABASE_URL: ${why}${then}`)
  }
}
