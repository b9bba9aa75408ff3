// New leads are filed by their email some time after they are stored. An index on emails that is kept up with
// every registration makes each of them write a page of its own, three quarters of what storing a lead costs;
// filed by the thousand and in order, many share a page. Until then memory knows them, and a process that has
// just started reads them from the end of the table.
import type { EmailRange } from '../lead-row.ts'
import type { Connection } from './connection.ts'
import { type FiledRow, filedColumns } from './filed-row.ts'
import { keptRows } from './kept-rows.ts'

/**
 * Leads that wait before a round of filing begins, while there is always something else to do. Of whole rows, in a
 * large database, it takes more of them for each page to be written for several.
 */
const roundSize = 40_000
const wholeRoundSize = 120_000
/** Leads filed in one transaction: half a millisecond of work. */
const portion = 250

export type Arrivals = {
  /** The id under which a lead was stored that has perhaps not been filed. It may have been removed since. */
  find(campaignId: number, email: string): number | undefined
  /** Emails of a campaign in a range, ascending, at most `limit`. */
  emailsIn(campaignId: number, range: EmailRange, limit: number): string[]
  /** Remembers a lead that the present transaction stores. */
  add(campaignId: number, email: string, row: FiledRow): void
  /** The present transaction changes the lead with this id. */
  change(leadId: number): void
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

/** By campaign, and in it by email, the ids of leads. */
type Ids = Map<number, Map<string, number>>

/** What is being filed: campaign after campaign, the emails of each in the order of `lead_emails`. */
type Round = {
  ids: Ids
  sorted: { campaignId: number; emails: string[] }[]
  highestId: number
  size: number
  /** How many have been filed, and how many of these are on disk. */
  filed: number
  settled: number
}

/** `filesWhole` says whether whole rows are filed (decision 25); it is asked at the end of each round. */
export function openArrivals(connection: Connection, filesWhole: () => boolean): Arrivals {
  const selectUnfiled = connection.prepareArrays(
    'SELECT campaign_id, email, id FROM leads WHERE id > (SELECT filed_up_to FROM filing)',
  )
  const fileId = connection.prepare(
    'INSERT OR IGNORE INTO lead_emails (campaign_id, email, id) VALUES (?, ?, ?)',
  )
  const fileRow = connection.prepare('INSERT OR IGNORE INTO lead_emails VALUES (?, ?, ?, ?, ?, ?, ?)')
  const fileStored = connection.prepare(
    `INSERT OR IGNORE INTO lead_emails SELECT campaign_id, email, ${filedColumns} FROM leads WHERE id = ?`,
  )
  const updateFiledUpTo = connection.prepare('UPDATE filing SET filed_up_to = ?')

  /** Those that have come since the round began, or since the last one ended. */
  let fresh: Ids = new Map()
  let freshCount = 0
  let round: Round | undefined
  let isExpired = true
  let isWhole = filesWhole()
  let generation = 0
  let added: { campaignId: number; email: string }[] = []
  const rows = keptRows()

  function remember(campaignId: number, email: string, leadId: number): void {
    let emails = fresh.get(campaignId)
    if (emails === undefined) {
      emails = new Map()
      fresh.set(campaignId, emails)
    }
    emails.set(email, leadId)
    freshCount += 1
  }

  function refresh(): void {
    if (!isExpired) return
    isExpired = false
    fresh = new Map()
    freshCount = 0
    round = undefined
    rows.clear()
    for (const row of selectUnfiled.all() as unknown as [number, string, number][]) remember(...row)
  }

  /** Never with additions of a transaction under way: their ids are given to others where it fails. */
  function beginRound(): void {
    const sorted = [...fresh].sort(([a], [b]) => a - b)
    round = {
      ids: fresh,
      // Emails are ASCII, so that this is SQLite's order too.
      sorted: sorted.map(([campaignId, emails]) => ({ campaignId, emails: [...emails.keys()].sort() })),
      highestId: highestOf(fresh),
      size: freshCount,
      filed: 0,
      settled: 0,
    }
    fresh = new Map()
    freshCount = 0
  }

  function fileNext({ ids, sorted, filed }: Round, count: number): void {
    let before = 0
    let left = count
    for (const { campaignId, emails } of sorted) {
      const from = Math.max(0, filed - before)
      const end = Math.min(emails.length, from + left)
      const leadIds = ids.get(campaignId)
      for (let index = from; index < end; index += 1) {
        const email = emails[index] as string
        fileOne(campaignId, email, leadIds?.get(email) as number)
      }
      left -= Math.max(0, end - from)
      if (left === 0) return
      before += emails.length
    }
  }

  function fileOne(campaignId: number, email: string, id: number): void {
    const row = isWhole ? rows.find(id) : undefined
    if (row !== undefined) fileRow.run(campaignId, email, ...row)
    else if (isWhole) fileStored.run(id)
    else fileId.run(campaignId, email, id)
  }

  const idIn = (ids: Ids | undefined, campaignId: number, email: string) => ids?.get(campaignId)?.get(email)

  return {
    find(campaignId, email) {
      refresh()
      return idIn(fresh, campaignId, email) ?? idIn(round?.ids, campaignId, email)
    },
    emailsIn(campaignId, { from, below }, limit) {
      refresh()
      const emails = new Set([fresh, round?.ids].flatMap((ids) => [...(ids?.get(campaignId)?.keys() ?? [])]))
      return [...emails]
        .filter((email) => email >= from && email < below)
        .sort()
        .slice(0, limit)
    },
    add(campaignId, email, row) {
      remember(campaignId, email, row[0])
      if (isWhole) rows.keep(row)
      // What is kept under this id is of a lead that was rolled back.
      else rows.drop(row[0])
      added.push({ campaignId, email })
    },
    change: rows.drop,
    fileSome(isIdle) {
      refresh()
      if (isIdle && round === undefined && freshCount > 0) beginRound()
      if (round === undefined) return
      // Faster than leads arrive, or there would be no end to it.
      const count = Math.min(round.size - round.filed, Math.max(portion, 3 * added.length))
      fileNext(round, count)
      round.filed += count
      // Ids only rise: whoever has come since the round began has a higher one.
      if (round.filed < round.size) return
      updateFiledUpTo.run(round.highestId)
      isWhole = filesWhole()
    },
    settle(isCommitted) {
      if (isCommitted && round !== undefined) {
        round.settled = round.filed
        if (round.filed === round.size) {
          round = undefined
          generation += 1
        }
      } else if (!isCommitted) {
        if (round !== undefined) round.filed = round.settled
        for (const { campaignId, email } of added) {
          fresh.get(campaignId)?.delete(email)
          freshCount -= 1
        }
      }
      added = []
      if (round === undefined && freshCount >= (isWhole ? wholeRoundSize : roundSize)) beginRound()
    },
    expire() {
      isExpired = true
      generation += 1
    },
    size: () => freshCount + (round?.size ?? 0),
    generation: () => generation,
  }
}

function highestOf(ids: Ids): number {
  let highest = 0
  for (const emails of ids.values()) for (const id of emails.values()) highest = Math.max(highest, id)
  return highest
}

// Leads are removed whether they have been filed or not, inside the caller's transaction.

const isUnfiled = 'id > (SELECT filed_up_to FROM filing)'

export function removeLead(c: Connection, accountId: number, campaignId: number, email: string): boolean {
  const filed = 'SELECT id FROM lead_emails WHERE campaign_id = ? AND email = ?'
  const unfiled = `SELECT id FROM leads WHERE ${isUnfiled} AND campaign_id = ? AND email = ?`
  const ids = [filed, unfiled].flatMap((sql) => c.all(sql, campaignId, email).map(({ id }) => id))
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
    'SELECT id FROM lead_emails WHERE campaign_id = ?',
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
