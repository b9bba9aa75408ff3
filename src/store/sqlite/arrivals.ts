// New leads are filed by their email some time after they are stored. An index on emails that is kept up with
// every registration makes each of them write a page of its own, three quarters of what storing a lead costs;
// filed by the thousand and in order, many share a page. Until then memory knows them, and a process that has
// just started reads them from the end of the table.
import type { EmailRange } from '../lead-row.ts'
import type { Connection } from './connection.ts'

/** Leads that wait before a round of filing begins, while there is always something else to do. */
const roundSize = 40_000
/** Leads filed in one transaction: half a millisecond of work. */
const portion = 250

export type Arrivals = {
  /** The id under which a lead was stored that has perhaps not been filed. It may have been removed since. */
  find(campaignId: number, email: string): number | undefined
  /** Emails of a campaign in a range, ascending, at most `limit`. */
  emailsIn(campaignId: number, range: EmailRange, limit: number): string[]
  /** Remembers a lead that the present transaction stores. */
  add(campaignId: number, email: string, leadId: number): void
  /** Inside a transaction, after its additions: files a portion, if a round is under way or due. */
  fileSome(isIdle: boolean): void
  /** Whether the transaction of the last `add` and `fileSome` was committed. */
  settle(isCommitted: boolean): void
  /** Somebody else has written: what is known here is read anew when it is next asked for. */
  expire(): void
  /** How many wait to be filed. */
  size(): number
  /** While this stays the same, an email that was found nowhere is found by `find` if it has come since. */
  generation(): number
}

type Arrival = { campaignId: number; email: string; leadId: number }

export function openArrivals(connection: Connection): Arrivals {
  const selectUnfiled = connection.prepareArrays(
    'SELECT campaign_id, email, id FROM leads WHERE id > (SELECT filed_up_to FROM filing)',
  )
  const file = connection.prepare('INSERT OR IGNORE INTO lead_emails VALUES (?, ?, ?)')
  const updateFiledUpTo = connection.prepare('UPDATE filing SET filed_up_to = ?')

  let campaigns = new Map<number, Map<string, number>>()
  let count = 0
  let isExpired = true
  let generation = 0
  let added: Arrival[] = []
  /** In the order of `lead_emails`; the first `filed` of them are filed, `settled` of these on disk. */
  let round: Arrival[] = []
  let filed = 0
  let settled = 0

  function remember(campaignId: number, email: string, leadId: number): void {
    let emails = campaigns.get(campaignId)
    if (emails === undefined) {
      emails = new Map()
      campaigns.set(campaignId, emails)
    }
    emails.set(email, leadId)
    count += 1
  }

  function forget({ campaignId, email, leadId }: Arrival): void {
    const emails = campaigns.get(campaignId)
    if (emails?.get(email) !== leadId) return
    emails.delete(email)
    if (emails.size === 0) campaigns.delete(campaignId)
    count -= 1
  }

  function known(): Map<number, Map<string, number>> {
    if (!isExpired) return campaigns
    isExpired = false
    campaigns = new Map()
    count = 0
    round = []
    filed = 0
    settled = 0
    for (const row of selectUnfiled.all() as unknown as [number, string, number][]) remember(...row)
    return campaigns
  }

  function beginRound(): void {
    for (const [campaignId, emails] of known()) {
      for (const [email, leadId] of emails) round.push({ campaignId, email, leadId })
    }
    round.sort(inOrder)
  }

  function endRound(): void {
    for (const arrival of round) forget(arrival)
    round = []
    filed = 0
    settled = 0
    generation += 1
  }

  return {
    find: (campaignId, email) => known().get(campaignId)?.get(email),
    emailsIn: (campaignId, { from, below }, limit) =>
      [...(known().get(campaignId)?.keys() ?? [])]
        .filter((email) => email >= from && email < below)
        .sort()
        .slice(0, limit),
    add(campaignId, email, leadId) {
      remember(campaignId, email, leadId)
      added.push({ campaignId, email, leadId })
    },
    fileSome(isIdle) {
      known()
      if (round.length === 0 && count >= (isIdle ? 1 : roundSize)) beginRound()
      if (round.length === 0) return
      // Faster than leads arrive, or there would be no end to it.
      const end = Math.min(round.length, filed + Math.max(portion, 3 * added.length))
      for (; filed < end; filed += 1) {
        const { campaignId, email, leadId } = round[filed] as Arrival
        file.run(campaignId, email, leadId)
      }
      // Ids only rise: whoever has come since the round began has a higher one.
      if (filed === round.length) updateFiledUpTo.run(highestId(round))
    },
    settle(isCommitted) {
      if (!isCommitted) {
        for (const arrival of added) forget(arrival)
        filed = settled
      } else if (round.length > 0 && filed === round.length) endRound()
      settled = filed
      added = []
    },
    expire() {
      isExpired = true
      generation += 1
    },
    size: () => count,
    generation: () => generation,
  }
}

/** Emails are ASCII, so that this is SQLite's order too. */
function inOrder(a: Arrival, b: Arrival): number {
  return a.campaignId - b.campaignId || (a.email < b.email ? -1 : 1)
}

function highestId(round: Arrival[]): number {
  return round.reduce((highest, { leadId }) => Math.max(highest, leadId), 0)
}

// Leads are removed whether they have been filed or not, inside the caller's transaction.

const isUnfiled = 'id > (SELECT filed_up_to FROM filing)'

export function removeLead(c: Connection, accountId: number, campaignId: number, email: string): boolean {
  const filed = 'SELECT lead_id FROM lead_emails WHERE campaign_id = ? AND email = ?'
  const unfiled = `SELECT id FROM leads WHERE ${isUnfiled} AND campaign_id = ? AND email = ?`
  const ids = [filed, unfiled].flatMap((sql) =>
    c.all(sql, campaignId, email).map((row) => row.lead_id ?? row.id),
  )
  for (const id of ids) {
    c.run('DELETE FROM lead_counts WHERE account_id = ? AND lead_id = ?', accountId, id)
    c.run('DELETE FROM leads WHERE id = ?', id)
  }
  c.run('DELETE FROM lead_emails WHERE campaign_id = ? AND email = ?', campaignId, email)
  lowerMark(c)
  return ids.length > 0
}

export function removeLeads(c: Connection, accountId: number, campaignId: number): void {
  for (const sql of [
    'SELECT lead_id FROM lead_emails WHERE campaign_id = ?',
    `SELECT id FROM leads WHERE ${isUnfiled} AND campaign_id = ?`,
  ]) {
    c.run(`DELETE FROM lead_counts WHERE account_id = ? AND lead_id IN (${sql})`, accountId, campaignId)
    c.run(`DELETE FROM leads WHERE id IN (${sql})`, campaignId)
  }
  c.run('DELETE FROM lead_emails WHERE campaign_id = ?', campaignId)
  c.run('DELETE FROM daily_counts WHERE account_id = ? AND campaign_id = ?', accountId, campaignId)
  lowerMark(c)
}

export function hasLeads(c: Connection, campaignId: number): boolean {
  const filed = c.get('SELECT 1 FROM lead_emails WHERE campaign_id = ? LIMIT 1', campaignId)
  if (filed !== undefined) return true
  return c.get(`SELECT 1 FROM leads WHERE ${isUnfiled} AND campaign_id = ? LIMIT 1`, campaignId) !== undefined
}

/** The next lead may get the id of one that was removed from the end, and that one must count as unfiled. */
function lowerMark(c: Connection): void {
  c.run('UPDATE filing SET filed_up_to = min(filed_up_to, coalesce((SELECT max(id) FROM leads), 0))')
}
