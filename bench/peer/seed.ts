// What the bench asks for: accounts with ten campaigns each, and leads in the first campaign of the first account.
import { randomBytes } from 'node:crypto'
import { emailAt } from '../emails.ts'
import { type Database, hashOf } from './database.ts'
import { deadlineOf } from './offer.ts'

const campaignsOfAccount = 10
const rowsOfStatement = 2_000

export type Seed = { key: string; accounts: number; leads: number }

/** The first account has `key`, the second one `key-2`, …; the first campaign of account n has id 10 n - 9. */
export async function seed(db: Database, { key, accounts, leads }: Seed): Promise<void> {
  for (let account = 1; account <= accounts; account += 1) {
    await addAccount(db, account === 1 ? key : `${key}-${account}`)
  }
  for (let from = 0; from < leads; from += rowsOfStatement) {
    await addLeads(db, from, Math.min(rowsOfStatement, leads - from))
  }
}

async function addAccount(db: Database, key: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const account = { name: 'Owner', suspended: 0, countdown_tools: 1 }
    const { id } = await trx.insertInto('accounts').values(account).returning('id').executeTakeFirstOrThrow()
    await trx
      .insertInto('api_keys')
      .values({ account_id: id, hash: hashOf(key) })
      .execute()
    for (let n = 1; n <= campaignsOfAccount; n += 1) {
      const campaign = await trx
        .insertInto('campaigns')
        .values({
          account_id: id,
          name: n === 1 ? 'Autumn course' : `Autumn course ${n}`,
          is_draft: 0,
          time_zone: 'Europe/Warsaw',
          days: 3,
          time: '23:59',
          has_timer: 1,
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      const urls = ['https://example.com/offer', 'https://example.com/offer/annual']
      const pages = urls.map((url) => ({ campaign_id: campaign.id, page_url: url, eligible: 1 }))
      await trx.insertInto('pages').values(pages).execute()
    }
  })
}

async function addLeads(db: Database, from: number, count: number): Promise<void> {
  const registeredAt = Math.floor(Date.now() / 1000)
  const deadline = deadlineOf({ time_zone: 'Europe/Warsaw', days: 3, time: '23:59' }, registeredAt)
  const rows = Array.from({ length: count }, (_, n) => ({
    campaign_id: 1,
    email: emailAt(from + n),
    ref: randomBytes(16).toString('hex'),
    registered_at: registeredAt,
    deadline,
  }))
  await db.insertInto('leads').values(rows).execute()
}
