import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Rule } from '../../core/mechanism/attempt.ts'
import { accessOn } from '../access.ts'
import { type Configuration, configurationOn } from '../configuration.ts'
import { countsOn } from '../counts.ts'
import { Refused, StoreUnavailable, UnusableDatabase } from '../errors.ts'
import { emailRange, type LeadRow, leadColumns, leadOf } from '../lead-row.ts'
import { deleteLeads } from '../lead-sql.ts'
import { writeRepeatedly } from '../lead-write.ts'
import { latestVersion } from '../migrations.ts'
import type { Campaign, Lead } from '../model.ts'
import { refCipher } from '../ref.ts'
import type { Runner, Sql, Statement } from '../sql.ts'
import type { Store } from '../store.ts'
import type { CopyEnd } from '../table-copy.ts'
import { templatesOn } from '../templates.ts'
import { channel, hearAnnouncements } from './announcements.ts'
import { lockTimeoutMs } from './batcher.ts'
import { type Connection, openPool, type Pool, type Prepared } from './connection.ts'
import { postgresEnd } from './copy-end.ts'
import { leadReader } from './lead-reader.ts'
import { leadWriter } from './lead-writer.ts'
import { migrate } from './migrations.ts'

/** What is not asked for by a request of the public API may take longer. */
const adminPatienceMs = 60_000
/** How long PostgreSQL may take to let a process in that starts, or a command. */
const startMs = 60_000
const adminPoolSize = 4
/** How often the counts of visitors whose minute is over are removed. */
const visitorsKeptMs = 60_000
/** By then a server has given up any write that it had begun. */
const writeEndMs = 1_500

const leadSettings = {
  // A plan is made once for each connection, when tables may still be small: never one that reads them whole.
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  jit: 'off',
  idle_in_transaction_session_timeout: '2000',
}

export type PostgresOptions = {
  url: string
  /** Connections for each of the two sorts of statements on leads. */
  poolSize: number
  /** How long a statement on leads may take, and what else a request waits for. */
  patienceMs: number
  /** Opens its connections at once, and keeps them. */
  isServer: boolean
}

/** Connects to the database and brings it to this version. @throws UnusableDatabase */
export async function openPostgres(options: PostgresOptions): Promise<Store> {
  const { url, poolSize, patienceMs, isServer } = options
  // Another database in the place of ours: it is neither read nor written.
  let isOurs = () => true
  const mayUse = () => isOurs()
  const admin = openPool({ url, size: adminPoolSize, settings: {}, connectMs: startMs, mayUse })
  await usable(admin, () => migrate(admin))
  // A statement that is given up by us may yet be carried out; one that PostgreSQL gives up is not.
  const settings = {
    ...leadSettings,
    lock_timeout: String(lockTimeoutMs(patienceMs)),
    statement_timeout: String(Math.round(patienceMs * 0.9)),
  }
  const pool = { url, size: poolSize, connectMs: startMs, mayUse }
  const durable = openPool({ ...pool, settings })
  // Counting requests need not wait for the disk; leads must.
  const counting = openPool({ ...pool, settings: { ...settings, synchronous_commit: 'off' } })
  const pools = [durable, counting, admin]
  if (isServer) {
    await usable(admin, () => Promise.all(pools.map((each) => each.fill())))
    // Until here nobody waits; from now on a request gives up with its statement.
    for (const each of pools) each.limitConnecting(patienceMs)
  }
  const { rows } = await admin.use(adminPatienceMs, (c) => c.query('SELECT ref_key FROM installation', []))
  const refKey: Uint8Array = rows[0]?.ref_key
  const refs = refCipher(refKey)
  const listeners: (() => void)[] = []
  const announcements = hearAnnouncements(url, refKey, () => {
    for (const listener of listeners) listener()
  })
  isOurs = announcements.isOurs
  const reader = leadReader(counting, patienceMs)
  const writer = leadWriter(durable, refs, {
    find: ({ campaign, email }) => findLead(campaign, email),
    toLead,
    patienceMs,
  })

  const findLead = (campaign: Campaign, email: string): Promise<Lead | undefined> =>
    reader.find(campaign.accountId, campaign.id, email).then((row) => row && toLead(campaign, email, row))

  function toLead(campaign: Campaign, email: string, row: LeadRow): Lead | Promise<Lead> {
    const ref = refs.write({ accountId: campaign.accountId, leadId: row[0], salt: row[1] })
    const ruleId = row[3]
    const rule = ruleId === null ? null : campaign.rules.get(ruleId)
    if (rule !== undefined) return leadOf(row, email, ref, rule)
    return newerRule(ruleId as number).then((read) => leadOf(row, email, ref, read))
  }

  /** A rule that the campaign was given after it was read stands in the database alone. */
  async function newerRule(ruleId: number): Promise<Rule> {
    const row = await read((sql) => sql.get('SELECT rule FROM rules WHERE id = ?', ruleId))
    if (row === undefined) throw new Error(`lead without its rule: ${ruleId}`)
    return JSON.parse(row.rule)
  }

  let forgottenAt = 0

  /** Now and then; nobody waits for it. */
  function forgetVisitors(): void {
    if (performance.now() - forgottenAt < visitorsKeptMs) return
    forgottenAt = performance.now()
    const sql = `DELETE FROM request_rates
      WHERE account_id < 0 AND minute < floor(extract(epoch FROM clock_timestamp())) / 60 - 2`
    admin.use(adminPatienceMs, (c) => c.query(sql, [])).catch(() => {})
  }

  const read = <T>(work: (sql: Sql) => Promise<T>): Promise<T> =>
    admin.use(patienceMs, (connection) => work(sqlOn(connection)))
  const readTogether = <T>(work: (sql: Sql) => Promise<T>): Promise<T> =>
    admin.transaction(patienceMs, 'ISOLATION LEVEL REPEATABLE READ, READ ONLY', (connection) =>
      work(sqlOn(connection)),
    )
  const write = <T>(work: (sql: Sql) => Promise<T>): Promise<T> =>
    admin.transaction(adminPatienceMs, '', (connection) => work(sqlOn(connection)))
  const writeAll = (statements: readonly Statement[]): Promise<void> =>
    write(async ({ run }) => {
      for (const statement of statements) await run(...statement)
    })

  const runner: Runner = { read, snapshot: readTogether, write, writeAll }
  const configuration: Configuration = {
    ...configurationOn(runner),
    async deleteCampaign(id) {
      const campaign = await read((sql) => sql.get('SELECT account_id FROM campaigns WHERE id = ?', id))
      const deleted = await configurationOn(runner).deleteCampaign(id)
      // A registration that was under way meanwhile has been given up by then, or is stored.
      await sleep(writeEndMs)
      await write((sql) => deleteLeads(sql, campaign?.account_id, id))
      return deleted
    },
  }

  return {
    configuration,
    leads: {
      find: findLead,
      async findByRef(ref) {
        const parts = refs.read(ref)
        if (parts === undefined) return undefined
        const rows = await counting.use(patienceMs, (connection) =>
          connection.rows<[...LeadRow, campaignId: number, email: string]>(findById, [
            parts.accountId,
            parts.leadId,
            parts.salt,
          ]),
        )
        const row = rows[0]
        if (row === undefined) return undefined
        const [campaignId, email] = row.slice(-2) as [number, string]
        return { campaignId, lead: async (campaign) => toLead(campaign, email, row as unknown as LeadRow) }
      },
      write: (campaign, email, decide, seen) =>
        writeRepeatedly(
          (of, address, deciding, expectNew) =>
            writer.write(
              { accountId: of.accountId, campaign: of, email: address, decide: deciding },
              expectNew,
              performance.now(),
            ),
          configuration.findCampaign,
          campaign,
          email,
          decide,
          seen,
        ),
      async list(campaign, { limit, ...filter }) {
        const { from, below } = emailRange(filter)
        const rows = await admin.use(adminPatienceMs, (connection) =>
          connection.rows<[...LeadRow, email: string]>(listLeads, [
            campaign.accountId,
            campaign.id,
            from,
            below,
            limit,
          ]),
        )
        return Promise.all(
          rows.map((row) => toLead(campaign, row.at(-1) as string, row as unknown as LeadRow)),
        )
      },
      erase: (campaign, email) =>
        write(async (sql) => {
          const where = 'account_id = ? AND campaign_id = ? AND email = ?'
          const of = [campaign.accountId, campaign.id, email] as const
          await sql.run(
            `DELETE FROM lead_counts WHERE account_id = ? AND lead_id IN (SELECT id FROM leads WHERE ${where})`,
            campaign.accountId,
            ...of,
          )
          return (await sql.run(`DELETE FROM leads WHERE ${where}`, ...of)) > 0
        }),
    },
    counts: countsOn(runner, 1_000),
    access: accessOn(runner),
    templates: templatesOn(runner),
    rates: {
      count: (accountId, limit) => reader.count(accountId, limit),
      countVisitor(address, limit) {
        forgetVisitors()
        return reader.count(visitorNumber(refKey, address), limit)
      },
    },
    onChange: (listener) => {
      listeners.push(listener)
    },
    isReady: announcements.isHeard,
    backup() {
      throw new Refused('on PostgreSQL use pg_dump, as docs/operating.md says')
    },
    async close() {
      announcements.close()
      await Promise.all([durable.close(), counting.close(), admin.close()])
    },
  }
}

/** Below zero, where no account is. That two visitors share one of 2^52 numbers is as good as impossible. */
function visitorNumber(key: Uint8Array, address: string): number {
  const digest = createHmac('sha256', key).update(address).digest()
  return -1 - (digest.readUIntBE(0, 6) * 16 + (digest.readUInt8(6) >> 4))
}

const findById: Prepared = {
  name: 'find_by_id',
  text: `SELECT ${leadColumns}, campaign_id, email FROM leads
    WHERE account_id = $1 AND id = $2 AND salt = $3`,
}

const listLeads: Prepared = {
  name: 'list_leads',
  text: `SELECT ${leadColumns}, email FROM leads
    WHERE account_id = $1 AND campaign_id = $2 AND email >= $3 AND email < $4 ORDER BY email LIMIT $5`,
}

function sqlOn(connection: Connection): Sql {
  const query = connection.query
  return {
    all: async (sql, ...values) => (await query(sql, values)).rows,
    get: async (sql, ...values) => (await query(sql, values)).rows[0],
    run: async (sql, ...values) => (await query(sql, values)).changes,
    async versionOf(accountId) {
      const { rows } = await query('SELECT version FROM accounts WHERE id = ?', [accountId])
      return rows[0]?.version
    },
    async bumpVersion(accountId) {
      await query('UPDATE accounts SET version = version + 1 WHERE id = ?', [accountId])
      await query('SELECT pg_notify(?, ?)', [channel, String(accountId)])
    },
  }
}

/** Brings the database to this version, and does nothing else. @throws UnusableDatabase */
export async function migratePostgres(url: string): Promise<{ version: number; applied: number }> {
  const pool = openPool({ url, size: 1, settings: {}, connectMs: adminPatienceMs })
  const applied = await usable(pool, () => migrate(pool))
  await pool.close()
  return { version: latestVersion, applied }
}

export async function openPostgresEnd(url: string): Promise<CopyEnd> {
  const pool = openPool({ url, size: 2, settings: {}, connectMs: adminPatienceMs })
  await usable(pool, () => migrate(pool))
  return postgresEnd(pool)
}

/** What PostgreSQL says when it does not let us in, in one line; the address may hold a password. */
async function usable<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await pool.close()
    if (!(error instanceof StoreUnavailable)) throw error
    const cause = error.cause as Error & { code?: string }
    throw new UnusableDatabase(
      `cannot use the PostgreSQL of DATABASE_URL: ${cause?.message || cause?.code || error.message}`,
    )
  }
}
