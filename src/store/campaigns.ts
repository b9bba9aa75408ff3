// Statements on campaigns, for both engines.
import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type CampaignSettings, typeIdOf } from '../core/campaign.ts'
import { type Rule, ruleOf } from '../core/mechanism/rule.ts'
import { type Terms, termsOf } from '../core/mechanism/terms.ts'
import { findAccount } from './accounts.ts'
import { type Actor, type AuditAction, addAuditEntry } from './audit.ts'
import { ChangedMeanwhile, Refused } from './errors.ts'
import { watchersOf } from './events/endpoint.ts'
import { startSweepsAfterSave } from './events/sweeps.ts'
import { hasEmail, hasLeadsOrVisitors } from './lead-sql.ts'
import {
  asFile,
  type Campaign,
  type CampaignChange,
  type CampaignFilter,
  type CampaignSummary,
  type DeletedCampaign,
  type MayReplace,
  type Page,
} from './model.ts'
import { inParts, type Row, type Sql, type Value } from './sql.ts'

/** Of campaigns: SQLite keeps a prepared statement for each count that was asked for. */
const idsAtOnce = 100

const summaries = 'SELECT id, name, type_id, is_draft, archived_at FROM campaigns WHERE account_id = ?'

/** Ascending id, at most `limit`. */
export async function listCampaigns(
  sql: Sql,
  accountId: number,
  { limit, afterId, isDraft }: CampaignFilter,
): Promise<CampaignSummary[]> {
  const rest = 'AND id > ? ORDER BY id LIMIT ?'
  const rows =
    isDraft === null
      ? await sql.all(`${summaries} ${rest}`, accountId, afterId, limit)
      : await sql.all(`${summaries} AND is_draft = ? ${rest}`, accountId, Number(isDraft), afterId, limit)
  return rows.map(toSummary)
}

/** Ascending id, of the newest at most `limit`. */
export async function listNewestCampaigns(sql: Sql, accountId: number, limit: number): Promise<CampaignSummary[]> {
  const rows = await sql.all(`${summaries} ORDER BY id DESC LIMIT ?`, accountId, limit)
  return rows.reverse().map(toSummary)
}

/** Those of `ids` that are the account's, ascending. */
export async function listCampaignsById(
  sql: Sql,
  accountId: number,
  ids: readonly number[],
): Promise<CampaignSummary[]> {
  const found: Row[] = []
  for (const part of inParts(ids, idsAtOnce)) {
    found.push(...(await sql.all(`${summaries} AND id IN (${part.map(() => '?')})`, accountId, ...part)))
  }
  return found.map(toSummary).sort((one, other) => one.id - other.id)
}

function toSummary(row: Row): CampaignSummary {
  return {
    id: row.id,
    name: row.name,
    typeId: row.type_id,
    isDraft: row.is_draft === 1,
    isArchived: row.archived_at !== null,
  }
}

/** Of published campaigns after an id, ascending, at most `limit`. */
export async function listPublishedTerms(
  sql: Sql,
  accountId: number,
  { limit, afterId }: Omit<CampaignFilter, 'isDraft'>,
) {
  const rows = await sql.all(
    'SELECT id, settings FROM campaigns WHERE account_id = ? AND is_draft = 0 AND id > ? ORDER BY id LIMIT ?',
    ...[accountId, afterId, limit],
  )
  return rows.map(({ id, settings }): { id: number; terms: Terms } => {
    const { timeZone, mechanism } = JSON.parse(settings)
    return { id, terms: termsOf({ timeZone, mechanism }) }
  })
}

export async function countPublished(sql: Sql, accountId: number): Promise<number> {
  const row = await sql.get('SELECT count(*) AS total FROM campaigns WHERE account_id = ? AND is_draft = 0', accountId)
  return row?.total
}

/** Ids of published campaigns, the newest first, at most `limit`. */
export async function newestPublished(sql: Sql, accountId: number, limit: number): Promise<number[]> {
  const newest = 'SELECT id FROM campaigns WHERE account_id = ? AND is_draft = 0 ORDER BY id DESC LIMIT ?'
  return (await sql.all(newest, accountId, limit)).map(({ id }) => id)
}

/** Only those that are not archived. */
export async function newestCampaign(sql: Sql, accountId: number): Promise<number | undefined> {
  const newest = 'SELECT id FROM campaigns WHERE account_id = ? AND archived_at IS NULL ORDER BY id DESC LIMIT 1'
  return (await sql.get(newest, accountId))?.id
}

/** Whether any published campaign of the account has a lead; visitors without an email do not count. */
export async function isLiveWithLead(sql: Sql, accountId: number): Promise<boolean> {
  const found = await sql.get(
    `SELECT 1 AS found FROM leads WHERE account_id = ? AND ${hasEmail} AND campaign_id IN
      (SELECT id FROM campaigns WHERE account_id = ? AND is_draft = 0) LIMIT 1`,
    ...[accountId, accountId],
  )
  return found !== undefined
}

/** The caller's transaction sees one moment, so that campaign, pages, rules and version belong together. */
export async function findCampaign(sql: Sql, campaignId: number): Promise<Campaign | undefined> {
  // PostgreSQL fails at a number too large for an id.
  if (!Number.isSafeInteger(campaignId)) return undefined
  const row = await sql.get('SELECT * FROM campaigns WHERE id = ?', campaignId)
  if (row === undefined) return undefined
  const { mechanism, ...settings } = JSON.parse(row.settings)
  const rules = await sql.all('SELECT id, rule FROM rules WHERE campaign_id = ?', campaignId)
  const pages = await sql.all('SELECT * FROM offer_pages WHERE campaign_id = ? ORDER BY id', campaignId)
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    isDraft: row.is_draft === 1,
    // Campaigns stored before there were conversions lack it.
    conversion: { closes: false },
    ...settings,
    terms: termsOf({ timeZone: settings.timeZone, mechanism }),
    pages: pages.map(toPage),
    ruleId: row.rule_id,
    rules: new Map(rules.map(({ id, rule }): [number, Rule] => [id, JSON.parse(rule)])),
    watchers: await watchersOf(sql, row.account_id, campaignId),
    version: await sql.versionOf(row.account_id),
  }
}

/** From now on nobody finds it or its leads; `removeDeleted` removes what is left. Undefined if there is none. */
export async function deleteCampaign(sql: Sql, campaignId: number, by: Actor): Promise<DeletedCampaign | undefined> {
  const row = await sql.get('SELECT account_id FROM campaigns WHERE id = ?', campaignId)
  if (row === undefined) return undefined
  // Before the settings are held: registrations wait for those.
  await sql.stopCounts(row.account_id)
  await sql.beginChange(row.account_id)
  const before = await findCampaign(sql, campaignId)
  if (before === undefined) return undefined
  await sql.run('DELETE FROM campaigns WHERE id = ?', campaignId)
  for (const { id } of before.pages) await sql.run(forgetSighting, id)
  await sql.run('DELETE FROM sweeps WHERE account_id = ? AND campaign_id = ?', row.account_id, campaignId)
  await sql.run('INSERT INTO deleted_campaigns (id, account_id) VALUES (?, ?)', campaignId, row.account_id)
  await logCampaign(sql, by, 'campaign.deleted', before, null)
  return { accountId: row.account_id, id: campaignId }
}

/** Deleted campaigns that still have rows. */
export async function deletedCampaigns(sql: Sql): Promise<DeletedCampaign[]> {
  const rows = await sql.all('SELECT id, account_id FROM deleted_campaigns ORDER BY id')
  return rows.map((row) => ({ id: row.id, accountId: row.account_id }))
}

/** Each entry has all settings, so that the log alone shows those of every campaign at every instant. */
async function logCampaign(
  sql: Sql,
  by: Actor,
  action: AuditAction,
  before: Campaign | undefined,
  after: Campaign | null,
) {
  const { accountId, id, name } = (after ?? before) as Campaign
  await addAuditEntry(sql, by, {
    accountId,
    action,
    subject: { kind: 'campaign', id, name },
    before: before ? asFile(before) : null,
    after: after && asFile(after),
  })
}

/**
 * Called once the settings are held. While somebody waits for that, or for the countdown images of the campaign, leads
 * still register under the settings of before, and would be taken for later than the change.
 */
const asOfNow = (actor: Actor | (() => Actor)): Actor => (typeof actor === 'function' ? actor() : actor)

/**
 * Also makes the campaign a draft; restored, it stays a draft. What is not archived is not restored: it may be live,
 * since publishing has taken it out of the archive. @throws ChangedMeanwhile if `mayReplace` says no
 */
export async function archiveCampaign(
  sql: Sql,
  accountId: number,
  campaignId: number,
  isArchived: boolean,
  actor: Actor | (() => Actor),
  mayReplace: MayReplace = () => true,
): Promise<Campaign | undefined> {
  await sql.beginChange(accountId)
  const by = asOfNow(actor)
  const before = await findCampaign(sql, campaignId)
  if (before === undefined) return undefined
  const row = await sql.get('SELECT archived_at FROM campaigns WHERE id = ?', campaignId)
  if ((row?.archived_at !== null) === isArchived) return before
  if (!mayReplace(before)) throw new ChangedMeanwhile()
  const archivedAt = isArchived ? by.at : null
  await sql.run('UPDATE campaigns SET is_draft = 1, archived_at = ? WHERE id = ?', archivedAt, campaignId)
  const after = (await findCampaign(sql, campaignId)) as Campaign
  await startSweepsAfterSave(sql, before, after, by.at)
  const action = isArchived ? 'campaign.archived' : 'campaign.restored'
  await logCampaign(sql, by, action, before, after)
  return after
}

/**
 * Makes the campaign, or with an id replaces all of that one, in one step with `mayReplace`.
 * @throws Refused, and ChangedMeanwhile if that says no
 */
export async function applyCampaign(
  sql: Sql,
  accountId: number,
  settings: CampaignSettings,
  actor: Actor | (() => Actor),
  mayReplace: MayReplace = () => true,
  userId?: number,
): Promise<Campaign> {
  await sql.beginChange(accountId)
  const by = asOfNow(actor)
  if ((await findAccount(sql, accountId)) === undefined) {
    throw new Refused(`there is no account ${accountId}`)
  }
  const { id } = settings
  const before = id === undefined ? undefined : await needReplaceable(sql, accountId, id, settings, mayReplace)
  const columns = columnsOf(settings, userId === undefined ? undefined : { at: by.at, userId })
  if (before !== undefined) await updateCampaign(sql, before.id, columns, settings.isDraft)
  const campaignId = before?.id ?? (await insertCampaign(sql, accountId, columns))
  const rule = ruleOf(settings)
  const ruleId = rule && (await ruleIdOf(sql, campaignId, rule))
  await sql.run('UPDATE campaigns SET rule_id = ? WHERE id = ?', ruleId, campaignId)
  await replacePages(sql, campaignId, settings.pages)
  const after = (await findCampaign(sql, campaignId)) as Campaign
  await startSweepsAfterSave(sql, before, after, by.at)
  const isSame = before !== undefined && isDeepStrictEqual(asFile(before), asFile(after))
  if (!isSame) await logCampaign(sql, by, before ? 'campaign.changed' : 'campaign.created', before, after)
  return after
}

/** The stored campaign. @throws Refused, and ChangedMeanwhile if `mayReplace` says no */
async function needReplaceable(
  sql: Sql,
  accountId: number,
  id: number,
  settings: CampaignSettings,
  mayReplace: MayReplace,
): Promise<Campaign> {
  const standing = await findCampaign(sql, id)
  if (standing?.accountId !== accountId) {
    throw new Refused(`id: account ${accountId} has no campaign ${id}; leave id out to make a new one`)
  }
  if (!mayReplace(standing)) throw new ChangedMeanwhile()
  const before = standing.terms.mechanism.deadline.kind
  const after = settings.mechanism.deadline.kind
  if (kindGroup(before) !== kindGroup(after) && (await hasLeadsOrVisitors(sql, accountId, id))) {
    throw new Refused(
      `mechanism.deadline.kind: cannot change from ${before} to ${after} while the campaign has leads, or visitors ` +
        'without an email; make a new campaign instead',
    )
  }
  return standing
}

/** Name, type, whether it is a draft, and the other settings as JSON. */
function columnsOf(settings: CampaignSettings, changed: CampaignChange | undefined): Value[] {
  const { name, isDraft, timeZone, language, mechanism, anonymous, conversion, onExpiry, mailTimer } = settings
  const kept = { timeZone, language, mechanism, anonymous, conversion, onExpiry, mailTimer, changed }
  return [name, typeIdOf(mechanism), Number(isDraft), JSON.stringify(kept)]
}

async function insertCampaign(sql: Sql, accountId: number, columns: Value[]): Promise<number> {
  const row = await sql.get(
    'INSERT INTO campaigns (name, type_id, is_draft, settings, account_id) VALUES (?, ?, ?, ?, ?) RETURNING id',
    ...[...columns, accountId],
  )
  return row?.id
}

async function updateCampaign(sql: Sql, id: number, columns: Value[], isDraft: boolean): Promise<void> {
  await sql.run(
    // Once published, it is no longer archived.
    `UPDATE campaigns SET name = ?, type_id = ?, is_draft = ?, settings = ?,
      archived_at = CASE WHEN ? = 0 THEN NULL ELSE archived_at END WHERE id = ?`,
    ...[...columns, Number(isDraft), id],
  )
}

/** Attempts of these groups store different things, so leads cannot change from one to another. */
function kindGroup(kind: string): string {
  return kind === 'fixed' || kind === 'none' ? kind : 'anchored'
}

async function ruleIdOf(sql: Sql, campaignId: number, rule: Rule): Promise<number> {
  const text = JSON.stringify(rule)
  const digest = hash('sha256', text)
  await sql.run(
    'INSERT INTO rules (campaign_id, digest, rule) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    ...[campaignId, digest, text],
  )
  const row = await sql.get('SELECT id FROM rules WHERE campaign_id = ? AND digest = ?', campaignId, digest)
  return row?.id
}

/** Its row does not refer to the page's, and would stay. */
const forgetSighting = 'DELETE FROM page_sightings WHERE page_id = ?'

async function replacePages(sql: Sql, campaignId: number, pages: CampaignSettings['pages']): Promise<void> {
  const rows = await sql.all('SELECT id FROM offer_pages WHERE campaign_id = ?', campaignId)
  const known = new Set<number>(rows.map((row) => row.id))
  for (const [index, page] of pages.entries()) {
    const values = [page.pageUrl, page.proxyUrl, Number(page.eligible)]
    if (page.id === undefined) {
      await sql.run(
        'INSERT INTO offer_pages (page_url, proxy_url, eligible, campaign_id) VALUES (?, ?, ?, ?)',
        ...values,
        campaignId,
      )
    } else if (known.delete(page.id)) {
      await sql.run('UPDATE offer_pages SET page_url = ?, proxy_url = ?, eligible = ? WHERE id = ?', ...values, page.id)
    } else {
      throw new Refused(`pages[${index}].id: the campaign has no page ${page.id}; leave id out to add one`)
    }
  }
  for (const id of known) {
    await sql.run('DELETE FROM offer_pages WHERE id = ?', id)
    await sql.run(forgetSighting, id)
  }
}

function toPage(row: Row): Page {
  return { id: row.id, pageUrl: row.page_url, proxyUrl: row.proxy_url, eligible: row.eligible === 1 }
}
