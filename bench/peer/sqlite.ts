// better-sqlite3 by Drizzle: every statement is prepared once, every write is flushed when it returns.
import Sqlite from 'better-sqlite3'
import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/better-sqlite3'
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import { type Database, tablesOf } from './database.ts'

const id = () => integer('id').primaryKey({ autoIncrement: true })
const boolean = (name: string) => integer(name, { mode: 'boolean' })

const accounts = sqliteTable('accounts', {
  id: id(),
  name: text('name').notNull(),
  suspended: boolean('suspended').notNull(),
  countdownTools: boolean('countdown_tools').notNull(),
})
const apiKeys = sqliteTable('api_keys', {
  id: id(),
  accountId: integer('account_id').notNull(),
  hash: text('hash').notNull(),
})
const campaigns = sqliteTable('campaigns', {
  id: id(),
  accountId: integer('account_id').notNull(),
  name: text('name').notNull(),
  isDraft: boolean('is_draft').notNull(),
  timeZone: text('time_zone').notNull(),
  days: integer('days').notNull(),
  time: text('time').notNull(),
  hasTimer: boolean('has_timer').notNull(),
})
const pages = sqliteTable('pages', {
  id: id(),
  campaignId: integer('campaign_id').notNull(),
  pageUrl: text('page_url').notNull(),
  eligible: boolean('eligible').notNull(),
})
const leads = sqliteTable('leads', {
  id: id(),
  campaignId: integer('campaign_id').notNull(),
  email: text('email').notNull(),
  ref: text('ref').notNull(),
  registeredAt: integer('registered_at').notNull(),
  deadline: integer('deadline'),
})

export function openSqlite(path: string): Database {
  const connection = new Sqlite(path)
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = FULL')
  connection.exec(tablesOf('INTEGER PRIMARY KEY AUTOINCREMENT', 'TABLE'))
  const db = drizzle(connection)
  const value = sql.placeholder

  const accountOfKey = db
    .select({ id: accounts.id, suspended: accounts.suspended, countdownTools: accounts.countdownTools })
    .from(apiKeys)
    .innerJoin(accounts, eq(accounts.id, apiKeys.accountId))
    .where(eq(apiKeys.hash, value('hash')))
    .prepare()
  const campaign = db
    .select()
    .from(campaigns)
    .where(and(eq(campaigns.id, value('id')), eq(campaigns.accountId, value('accountId'))))
    .prepare()
  const pagesOf = db
    .select()
    .from(pages)
    .where(eq(pages.campaignId, value('campaignId')))
    .orderBy(asc(pages.id))
    .prepare()
  const lead = db
    .select()
    .from(leads)
    .where(and(eq(leads.campaignId, value('campaignId')), eq(leads.email, value('email'))))
    .prepare()
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
    .prepare()

  return {
    accountOfKey: (hash) => accountOfKey.get({ hash }),
    countRequest: counter(),
    campaign: (accountId, id) => campaign.get({ accountId, id }),
    campaigns(accountId, afterId, isDraft, limit) {
      const drafts = isDraft === undefined ? undefined : eq(campaigns.isDraft, isDraft)
      const matches = and(eq(campaigns.accountId, accountId), gt(campaigns.id, afterId), drafts)
      return db.select().from(campaigns).where(matches).orderBy(asc(campaigns.id)).limit(limit).all()
    },
    pages: (campaignId) => pagesOf.all({ campaignId }),
    lead: (campaignId, email) => lead.get({ campaignId, email }),
    addLead: (row) => addLead.get(row),
    addLeads: (rows) => db.insert(leads).values(rows).run(),
    addAccount: (hash, given, pageUrls) =>
      db.transaction((tx) => {
        const account = { name: 'Owner', suspended: false, countdownTools: true }
        const { id: accountId } = tx.insert(accounts).values(account).returning().get()
        tx.insert(apiKeys).values({ accountId, hash }).run()
        const rows = given.map((one) => ({ ...one, accountId }))
        for (const { id: campaignId } of tx.insert(campaigns).values(rows).returning().all()) {
          const ofCampaign = pageUrls.map((pageUrl) => ({ campaignId, pageUrl, eligible: true }))
          tx.insert(pages).values(ofCampaign).run()
        }
      }),
    close: () => connection.close(),
  }
}

/** In memory: there is one process. */
function counter(): Database['countRequest'] {
  const counts = new Map<number, { minute: number; count: number }>()
  return (accountId, minute) => {
    const known = counts.get(accountId)
    const count = known?.minute === minute ? known.count + 1 : 1
    counts.set(accountId, { minute, count })
    return count
  }
}
