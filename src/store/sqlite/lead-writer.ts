import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { addLeadEntries, type LeadEntry } from '../audit.ts'
import { findCampaign } from '../campaigns.ts'
import { StoreUnavailable } from '../errors.ts'
import type { Campaign, Decide, Decision, Lead, LeadRefusal, LeadWrite } from '../model.ts'
import { SQLITE_BUSY, SQLITE_CONSTRAINT, sqliteCode } from './connection.ts'
import { type Database, failure, inTransaction, lockRetryMs } from './database.ts'

/** At most so many writes are in one transaction, and wait for one. */
const batchSize = 1_000
const queueSize = 20_000

/** Statements of the open transaction. */
type LeadStatements = {
  find(campaign: Campaign, email: string): Promise<Lead | undefined>
  create(campaign: Campaign, email: string, decision: Decision): Lead
  change(campaign: Campaign, lead: Lead, decision: Decision): Lead
}

type Answer = LeadWrite | LeadRefusal
type Pending = {
  campaign: Campaign
  email: string
  decide: Decide
  queuedAt: number
  resolve(answer: Answer): void
  reject(error: unknown): void
}

/**
 * Group commit: writes that arrive in one turn of the event loop, or while the one before is on its way to the disk,
 * share one transaction, and so one flush. Each is answered after the COMMIT that holds it. `lockWaitMs` is how long
 * a write waits for a lock that another process holds, before it is refused.
 */
export function leadWriter(database: Database, leads: LeadStatements, lockWaitMs: number) {
  let queue: Pending[] = []
  let isRunning = false

  async function run(): Promise<void> {
    isRunning = true
    while (queue.length > 0) {
      await nextTurn()
      const batch = queue.slice(0, batchSize)
      queue = queue.slice(batchSize)
      try {
        const answers = await inTransaction(database, () => writeAll(database, leads, batch))
        for (const answer of answers) answer()
      } catch (error) {
        if (sqliteCode(error) === SQLITE_BUSY) {
          queue = [...stillWaiting(batch, lockWaitMs), ...queue]
          await sleep(lockRetryMs)
        } else {
          const reason = failure(database, error)
          for (const { reject } of batch) reject(reason)
        }
      }
    }
    isRunning = false
  }

  return (campaign: Campaign, email: string, decide: Decide) =>
    new Promise<Answer>((resolve, reject) => {
      if (queue.length >= queueSize) {
        reject(new StoreUnavailable('too many writes are waiting'))
        return
      }
      queue.push({ campaign, email, decide, queuedAt: performance.now(), resolve, reject })
      if (!isRunning) run()
    })
}

/** Refuses those that have waited long enough. */
function stillWaiting(batch: Pending[], lockWaitMs: number): Pending[] {
  const oldest = performance.now() - lockWaitMs
  return batch.filter(({ queuedAt, reject }) => {
    if (queuedAt > oldest) return true
    reject(new StoreUnavailable('the database is locked'))
    return false
  })
}

/** Makes all writes of a batch. Returns a function for each that answers it, to be called once all are on disk. */
async function writeAll(database: Database, leads: LeadStatements, batch: Pending[]): Promise<(() => void)[]> {
  const campaigns = new Map<number, Campaign | undefined>()
  /** The campaign as this transaction sees it. */
  const current = async (read: Campaign): Promise<Campaign | undefined> => {
    if (read.version === database.version) return read
    if (!campaigns.has(read.id)) campaigns.set(read.id, await findCampaign(database.sql, read.id))
    return campaigns.get(read.id)
  }
  const answers: (() => void)[] = []
  const entries: LeadEntry[] = []
  for (const pending of batch) {
    const { campaign, resolve, reject } = pending
    try {
      const answer = await writeOne(leads, await current(campaign), pending, entries)
      answers.push(() => resolve(answer))
    } catch (error) {
      // A defect in one decision must not take its neighbours down; an error of the database ends the batch.
      const code = sqliteCode(error)
      if (code !== undefined && code !== SQLITE_CONSTRAINT) throw error
      answers.push(() => reject(error))
    }
  }
  if (entries.length > 0) await addLeadEntries(database.sql, entries)
  return answers
}

/** Adds to `entries` what the audit log gets. */
async function writeOne(
  leads: LeadStatements,
  campaign: Campaign | undefined,
  { email, decide }: Pending,
  entries: LeadEntry[],
): Promise<Answer> {
  if (campaign === undefined) return 'CAMPAIGN_NOT_FOUND'
  const lead = await leads.find(campaign, email)
  const decision = decide(campaign, lead)
  if (typeof decision === 'string') return decision
  if (decision?.entry !== undefined) entries.push(decision.entry)
  if (lead === undefined) {
    if (decision === undefined) throw new Error('a lead that is not there cannot stay as it is')
    return { campaign, before: undefined, lead: leads.create(campaign, email, decision) }
  }
  if (decision === undefined) return { campaign, before: lead, lead }
  return { campaign, before: lead, lead: leads.change(campaign, lead, decision) }
}
