// What the bench asks for: accounts with ten campaigns each, and leads in the first campaign of the first account.
import { createHash, randomBytes } from 'node:crypto'
import { emailAt } from '../emails.ts'
import type { Database, NewLead } from './database.ts'
import { deadlineOf } from './offer.ts'

const campaign = {
  isDraft: false,
  timeZone: 'Europe/Warsaw',
  days: 3,
  time: '23:59',
  hasTimer: true,
}
const campaignsOfAccount = 10
const pageUrls = ['https://example.com/offer', 'https://example.com/offer/annual']
const leadsOfStatement = 2_000

export type Seed = { key: string; accounts: number; leads: number }

/** The first account has `key`, the second one `key-2`, …; the first campaign of account n has id 10 n - 9. */
export async function seed(db: Database, { key, accounts, leads }: Seed): Promise<void> {
  for (let account = 1; account <= accounts; account += 1) {
    const campaigns = Array.from({ length: campaignsOfAccount }, (_, n) => {
      return { ...campaign, name: n === 0 ? 'Autumn course' : `Autumn course ${n + 1}` }
    })
    await db.addAccount(hashOf(account === 1 ? key : `${key}-${account}`), campaigns, pageUrls)
  }
  for (let from = 0; from < leads; from += leadsOfStatement) {
    await db.addLeads(newLeads(from, Math.min(leadsOfStatement, leads - from)))
  }
}

function newLeads(from: number, count: number): NewLead[] {
  const registeredAt = Math.floor(Date.now() / 1000)
  const deadline = deadlineOf(campaign, registeredAt)
  return Array.from({ length: count }, (_, n) => {
    return { campaignId: 1, email: emailAt(from + n), ref: newRef(), registeredAt, deadline }
  })
}

export function newRef(): string {
  return randomBytes(16).toString('hex')
}

export function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}
