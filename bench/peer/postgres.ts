// pg by Drizzle: a pool of ten connections, every statement prepared once on each, every write its own transaction.
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { bigint, boolean, integer, pgTable, serial, text } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { type Database, tablesOf } from './database.ts'

const seconds = (name: string) => bigint(name, { mode: 'number' })

const accounts = pgTable('accounts', {
  id: serial('id').primaryKey(),
  name: text('name').notNull(),
  suspended: boolean('suspended').notNull(),
  countdownTools: boolean('countdown_tools').notNull(),
})
const apiKeys = pgTable('api_keys', {
  id: serial('id').primaryKey(),
  accountId: integer('account_id').notNull(),
  hash: text('hash').notNull(),
})
const campaigns = pgTable('campaigns', {
  id: serial('id').primaryKey(),
  accountId: integer('account_id').notNull(),
  name: text('name').notNull(),
  isDraft: boolean('is_draft').notNull(),
  timeZone: text('time_zone').notNull(),
  days: integer('days').notNull(),
  time: text('time').notNull(),
  hasTimer: boolean('has_timer').notNull(),
})
const pages = pgTable('pages', {
  id: serial('id').primaryKey(),
  campaignId: integer('campaign_id').notNull(),
  pageUrl: text('page_url').notNull(),
  eligible: boolean('eligible').notNull(),
})
const leads = pgTable('leads', {
  id: serial('id').primaryKey(),
  campaignId: integer('campaign_id').notNull(),
  email: text('email').notNull(),
  ref: text('ref').notNull(),
  registeredAt: seconds('registered_at').notNull(),
  deadline: seconds('deadline'),
})
const rates = pgTable('rates', {
  accountId: integer('account_id').primaryKey(),
  minute: bigint('minute', { mode: 'number' }).notNull(),
  count: integer('count').notNull(),
})

export async function openPostgres(url: string): Promise<Database> {
  const pool = new pg.Pool({ connectionString: url, max: 10 })
  // Unlogged: a counter of this minute need not be flushed to disk with each request.
  await pool.query(tablesOf('serial PRIMARY KEY', 'UNLOGGED TABLE'))
  const db = drizzle(pool)
  const value = sql.placeholder

  const accountOfKey = db
    .select({ id: accounts.id, suspended: accounts.suspended, countdownTools: accounts.countdownTools })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(eq(apiKeys.hash, value('hash')))
    .prepare('account_of_key')
  const countRequest = db
    .insert(rates)
    .values({ accountId: value('accountId'), minute: value('minute'), count: 1 })
    .onConflictDoUpdate({
      target: rates.accountId,
      set: {
        minute: sql`excluded.minute`,
        count: sql`CASE WHEN ${rates.minute} = excluded.minute THEN ${rates.count} + 1 ELSE 1 END`,
      },
    })
    .returning({ count: rates.count })
    .prepare('count_request')
  const campaign = db
    .select()
    .from(campaigns)
    .where(and(eq(campaigns.id, value('id')), eq(campaigns.accountId, value('accountId'))))
    .prepare('campaign')
  const pagesOf = db
    .select()
    .from(pages)
    .where(eq(pages.campaignId, value('campaignId')))
    .orderBy(asc(pages.id))
    .prepare('pages')
  const lead = db
    .select()
    .from(leads)
    .where(and(eq(leads.campaignId, value('campaignId')), eq(leads.email, value('email'))))
    .prepare('lead')
  const addLead = db
    .insert(leads)
    .values({
      campaignId: value('campaignId'),
      email: value('email'),
      ref: value('ref'),
      registeredAt: value('registeredAt'),
      deadline: value('deadline'),
    })
    .onConflictDoNothing({ target: [leads.campaignId, leads.email] })
    .returning()
    .prepare('add_lead')

  return {
    accountOfKey: async (hash) => (await accountOfKey.execute({ hash }))[0],
    countRequest: async (accountId, minute) => (await countRequest.execute({ accountId, minute }))[0]?.count ?? 0,
    campaign: async (accountId, id) => (await campaign.execute({ accountId, id }))[0],
    campaigns(accountId, afterId, isDraft, limit) {
      const drafts = isDraft === undefined ? undefined : eq(campaigns.isDraft, isDraft)
      const matches = and(eq(campaigns.accountId, accountId), gt(campaigns.id, afterId), drafts)
      return db.select().from(campaigns).where(matches).orderBy(asc(campaigns.id)).limit(limit)
    },
    pages: (campaignId) => pagesOf.execute({ campaignId }),
    lead: async (campaignId, email) => (await lead.execute({ campaignId, email }))[0],
    addLead: async (row) => (await addLead.execute(row))[0],
    addLeads: (rows) => db.insert(leads).values(rows),
    addAccount: (hash, given, pageUrls) =>
      db.transaction(async (tx) => {
        const owner = { name: 'Owner', suspended: false, countdownTools: true }
        const [account] = await tx.insert(accounts).values(owner).returning()
        const accountId = account?.id ?? 0
        await tx.insert(apiKeys).values({ accountId, hash })
        const rows = given.map((one) => ({ ...one, accountId }))
        const made = await tx.insert(campaigns).values(rows).returning()
        await tx
          .insert(pages)
          .values(
            made.flatMap(({ id: campaignId }) => pageUrls.map((pageUrl) => ({ campaignId, pageUrl, eligible: true }))),
          )
      }),
    close: () => pool.end(),
  }
}
