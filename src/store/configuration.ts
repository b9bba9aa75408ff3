// Statements on accounts, keys and campaigns, for both engines. Every change raises the version before it writes a
// row: on PostgreSQL this makes changes of one account wait for each other.
import { hash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { type CampaignSettings, typeIdOf } from '../core/campaign.ts'
import { instantOrNull } from '../core/instant.ts'
import { type Rule, ruleOf } from '../core/mechanism/rule.ts'
import { type Terms, termsOf } from '../core/mechanism/terms.ts'
import { insertAccount, toAccount } from './access.ts'
import { type Actor, type AuditAction, addAuditEntry, addIfChanged } from './audit.ts'
import { ChangedMeanwhile, Refused } from './errors.ts'
import { watchersOf } from './events/endpoint.ts'
import { startSweepsAfterSave } from './events/sweeps.ts'
import { hasEmail, hasLeadsOrVisitors, removeDeleted } from './lead-sql.ts'
import {
  type Account,
  asFile,
  type Campaign,
  type CampaignChange,
  type CampaignFilter,
  type CampaignSummary,
  type DeletedCampaign,
  type Key,
  type KeyUse,
  type LiveKey,
  type MayReplace,
  type NewKey,
  type Page,
  type Scope,
} from './model.ts'
import { boundTo, inParts, type Row, type Runner, type Sql, type Value } from './sql.ts'

/** Keys of an account that work at the same time. */
const mostKeys = 100
/** How many that no longer work are shown. */
const mostEnded = 100
/** Of campaigns: SQLite keeps a prepared statement for each count that was asked for. */
const idsAtOnce = 100
/** Whether a key works at the instant that is given as value. */
const works = 'revoked_at IS NULL AND (grace_ends_at IS NULL OR grace_ends_at > ?)'

/** Accounts, keys and campaigns. Each call rejects with StoreUnavailable if the database does not answer. */
export type Configuration = ReturnType<typeof configurationOn>

export function configurationOn({ read, snapshot, write, writeUnflushed }: Runner) {
  return {
    ...boundTo(read, { listAccounts, findAccount, listKeys, listRecentKeys, findKey, findLiveKey }),
    ...boundTo(read, { listCampaigns, listNewestCampaigns, listCampaignsById }),
    ...boundTo(read, { listPublishedTerms, countPublished, newestPublished }),
    ...boundTo(read, { newestCampaign, isLiveWithLead, hasLeadsOrVisitors, deletedCampaigns }),
    ...boundTo(snapshot, { findCampaign }),
    ...boundTo(write, { createAccount, updateAccount, createKey, renameKey, revokeKey, replaceKey }),
    ...boundTo(write, { applyCampaign, archiveCampaign, deleteCampaign }),
    ...boundTo(writeUnflushed, { removeDeleted, noteKeyUses }),
  }
}

async function createAccount(sql: Sql, name: string, by: Actor): Promise<Account> {
  // Nobody knows the account yet. Citus locks more for an update than for an insert: so the update comes first.
  await sql.beginChange(0)
  return insertAccount(sql, name, by)
}

async function listAccounts(sql: Sql): Promise<Account[]> {
  return (await sql.all('SELECT * FROM accounts ORDER BY id')).map(toAccount)
}

async function findAccount(sql: Sql, accountId: number): Promise<Account | undefined> {
  const row = await sql.get('SELECT * FROM accounts WHERE id = ?', accountId)
  return row && toAccount(row)
}

async function updateAccount(
  sql: Sql,
  accountId: number,
  changes: Partial<Omit<Account, 'id'>>,
  by: Actor,
): Promise<Account | undefined> {
  if ((await findAccount(sql, accountId)) === undefined) return undefined
  await sql.beginChange(accountId)
  const before = (await findAccount(sql, accountId)) as Account
  const next = { ...before, ...changes }
  await sql.run(
    'UPDATE accounts SET name = ?, suspended = ?, countdown_tools = ?, rate_limit = ? WHERE id = ?',
    ...[next.name, Number(next.suspended), Number(next.countdownTools), next.rateLimit, accountId],
  )
  const subject = { kind: 'account', id: accountId, name: next.name } as const
  await addIfChanged(sql, by, { accountId, action: 'account.changed', subject, before, after: next })
  return next
}

/** @throws Refused where the account has as many keys as it may */
async function createKey(sql: Sql, key: NewKey, by: Actor): Promise<void> {
  await sql.beginChange(key.accountId)
  await insertKey(sql, key, by)
}

async function insertKey(sql: Sql, key: NewKey, by: Actor): Promise<void> {
  const working = `SELECT count(*) AS total FROM api_keys WHERE account_id = ? AND ${works}`
  const found = await sql.get(working, key.accountId, by.at)
  if (found?.total >= mostKeys) throw new Refused(`an account has at most ${mostKeys} keys that work: revoke one first`)
  const row = await sql.get(
    'INSERT INTO api_keys (id, account_id, name, secret_hash, created_at, scopes) VALUES (?, ?, ?, ?, ?, ?) RETURNING *',
    ...[key.id, key.accountId, key.name, key.secretHash, key.createdAt, key.scopes.join(' ') || null],
  )
  await logKey(sql, by, 'key.created', undefined, row as Row)
}

async function logKey(sql: Sql, by: Actor, action: AuditAction, before: Row | undefined, after: Row): Promise<void> {
  const { id, accountId, name } = toKey(after)
  const settings = (row: Row) => {
    const { name, scopes, revokedAt } = toKey(row)
    return { name, scopes, worksUntil: instantOrNull(revokedAt) }
  }
  await addIfChanged(sql, by, {
    accountId,
    action,
    subject: { kind: 'key', id, name },
    before: before ? settings(before) : null,
    after: settings(after),
  })
}

async function listKeys(sql: Sql, accountId: number): Promise<Key[]> {
  const rows = await sql.all('SELECT * FROM api_keys WHERE account_id = ? ORDER BY created_at, id', accountId)
  return rows.map(toKey)
}

/** Those that work, and the newest of those that no longer do: an account may have made and revoked very many. */
async function listRecentKeys(sql: Sql, accountId: number, now: number): Promise<{ working: Key[]; ended: Key[] }> {
  const select = (condition: string, order: string) =>
    sql.all(`SELECT * FROM api_keys WHERE account_id = ? AND ${condition} ORDER BY ${order}`, accountId, now)
  const working = await select(works, 'created_at, id')
  const ended = await select(`NOT (${works})`, `coalesce(revoked_at, grace_ends_at) DESC, id LIMIT ${mostEnded}`)
  return { working: working.map(toKey), ended: ended.map(toKey) }
}

async function findKey(sql: Sql, keyId: string): Promise<Key | undefined> {
  const row = await sql.get('SELECT * FROM api_keys WHERE id = ?', keyId)
  return row && toKey(row)
}

async function renameKey(sql: Sql, keyId: string, name: string, by: Actor): Promise<Key | undefined> {
  return changeKey(sql, keyId, by, 'key.renamed', 'UPDATE api_keys SET name = ? WHERE id = ? RETURNING *', name)
}

/** At once, also within a time of grace. Revoking again keeps the first instant. */
async function revokeKey(sql: Sql, keyId: string, by: Actor): Promise<Key | undefined> {
  return changeKey(
    sql,
    keyId,
    by,
    'key.revoked',
    `UPDATE api_keys SET revoked_at = coalesce(revoked_at, CASE WHEN grace_ends_at < ? THEN grace_ends_at ELSE ? END)
      WHERE id = ? RETURNING *`,
    ...[by.at, by.at],
  )
}

async function changeKey(
  sql: Sql,
  keyId: string,
  by: Actor,
  action: AuditAction,
  change: string,
  ...values: Value[]
): Promise<Key | undefined> {
  const key = await findKey(sql, keyId)
  if (key === undefined) return undefined
  await sql.beginChange(key.accountId)
  const before = await sql.get('SELECT * FROM api_keys WHERE id = ?', keyId)
  const after = (await sql.get(change, ...values, keyId)) as Row
  await logKey(sql, by, action, before, after)
  return toKey(after)
}

/**
 * Adds `next`, and lets the old key work until `graceEndsAt`; false if it was revoked or replaced before. The end of
 * the grace is compared with the clock; revoked_at is not, so that no clock brings a key back.
 * @throws Refused where the account has as many keys as it may
 */
async function replaceKey(sql: Sql, keyId: string, graceEndsAt: number, next: NewKey, by: Actor): Promise<boolean> {
  await sql.beginChange(next.accountId)
  const before = await sql.get('SELECT * FROM api_keys WHERE id = ?', keyId)
  const replaced = await sql.get(
    `UPDATE api_keys SET grace_ends_at = ?
      WHERE id = ? AND account_id = ? AND revoked_at IS NULL AND grace_ends_at IS NULL RETURNING *`,
    graceEndsAt,
    keyId,
    next.accountId,
  )
  if (replaced === undefined) return false
  await logKey(sql, by, 'key.replaced', before, replaced)
  await insertKey(sql, next, by)
  return true
}

/**
 * Not a change that other nodes need to know. One write for a key and minute, whichever node reports it; always in the
 * same order, so that two nodes cannot deadlock.
 */
async function noteKeyUses(sql: Sql, uses: readonly KeyUse[]): Promise<void> {
  const unnoted = 'last_used_at IS NULL OR last_used_at < ?'
  for (const { keyId, usedAt } of uses.toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))) {
    const minuteAt = usedAt - (usedAt % 60)
    await sql.run(`UPDATE api_keys SET last_used_at = ? WHERE id = ? AND (${unnoted})`, usedAt, keyId, minuteAt)
  }
}

async function findLiveKey(sql: Sql, keyId: string): Promise<LiveKey | undefined> {
  const row = await sql.get(
    `SELECT secret_hash, grace_ends_at, scopes, accounts.* FROM api_keys JOIN accounts ON accounts.id = account_id
      WHERE api_keys.id = ? AND revoked_at IS NULL`,
    keyId,
  )
  if (row === undefined) return undefined
  return {
    id: keyId,
    secretHash: row.secret_hash,
    account: toAccount(row),
    scopes: toScopes(row),
    graceEndsAt: row.grace_ends_at,
  }
}

const summaries = 'SELECT id, name, type_id, is_draft, archived_at FROM campaigns WHERE account_id = ?'

/** Ascending id, at most `limit`. */
async function listCampaigns(
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
async function listNewestCampaigns(sql: Sql, accountId: number, limit: number): Promise<CampaignSummary[]> {
  const rows = await sql.all(`${summaries} ORDER BY id DESC LIMIT ?`, accountId, limit)
  return rows.reverse().map(toSummary)
}

/** Those of `ids` that are the account's, ascending. */
async function listCampaignsById(sql: Sql, accountId: number, ids: readonly number[]): Promise<CampaignSummary[]> {
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
async function listPublishedTerms(sql: Sql, accountId: number, { limit, afterId }: Omit<CampaignFilter, 'isDraft'>) {
  const rows = await sql.all(
    'SELECT id, settings FROM campaigns WHERE account_id = ? AND is_draft = 0 AND id > ? ORDER BY id LIMIT ?',
    ...[accountId, afterId, limit],
  )
  return rows.map(({ id, settings }): { id: number; terms: Terms } => {
    const { timeZone, mechanism } = JSON.parse(settings)
    return { id, terms: termsOf({ timeZone, mechanism }) }
  })
}

async function countPublished(sql: Sql, accountId: number): Promise<number> {
  const row = await sql.get('SELECT count(*) AS total FROM campaigns WHERE account_id = ? AND is_draft = 0', accountId)
  return row?.total
}

/** Ids of published campaigns, the newest first, at most `limit`. */
async function newestPublished(sql: Sql, accountId: number, limit: number): Promise<number[]> {
  const newest = 'SELECT id FROM campaigns WHERE account_id = ? AND is_draft = 0 ORDER BY id DESC LIMIT ?'
  return (await sql.all(newest, accountId, limit)).map(({ id }) => id)
}

/** Only those that are not archived. */
async function newestCampaign(sql: Sql, accountId: number): Promise<number | undefined> {
  const newest = 'SELECT id FROM campaigns WHERE account_id = ? AND archived_at IS NULL ORDER BY id DESC LIMIT 1'
  return (await sql.get(newest, accountId))?.id
}

/** Whether any published campaign of the account has a lead; visitors without an email do not count. */
async function isLiveWithLead(sql: Sql, accountId: number): Promise<boolean> {
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
async function deleteCampaign(sql: Sql, campaignId: number, by: Actor): Promise<DeletedCampaign | undefined> {
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
async function deletedCampaigns(sql: Sql): Promise<DeletedCampaign[]> {
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
async function archiveCampaign(
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
async function applyCampaign(
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

function toKey(row: Row): Key {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    scopes: toScopes(row),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at ?? row.grace_ends_at,
  }
}

function toScopes({ scopes }: Row): Scope[] {
  return scopes === null ? [] : scopes.split(' ')
}

function toPage(row: Row): Page {
  return { id: row.id, pageUrl: row.page_url, proxyUrl: row.proxy_url, eligible: row.eligible === 1 }
}
