// Statements on accounts, keys and campaigns, each on a connection that the caller chose.
import type { CampaignSettings } from '../../core/campaign.ts'
import { campaignType } from '../../core/campaign.ts'
import { type Rule, ruleOf } from '../../core/mechanism/attempt.ts'
import type { Account, Campaign, CampaignFilter, CampaignSummary, Key, LiveKey, Page } from '../store.ts'
import { Refused } from '../store.ts'
import type { Connection, Row } from './connection.ts'

/** Every change of accounts, keys or campaigns counts here; servers watch the number. */
export function bumpVersion(c: Connection): void {
  c.run('UPDATE configuration SET version = version + 1')
}

export function readVersion(c: Connection): number {
  return c.get('SELECT version FROM configuration')?.version
}

export function createAccount(c: Connection, name: string): Account {
  bumpVersion(c)
  return toAccount(c.get('INSERT INTO accounts (name) VALUES (?) RETURNING *', name) as Row)
}

export function listAccounts(c: Connection): Account[] {
  return c.all('SELECT * FROM accounts ORDER BY id').map(toAccount)
}

export function findAccount(c: Connection, accountId: number): Account | undefined {
  const row = c.get('SELECT * FROM accounts WHERE id = ?', accountId)
  return row && toAccount(row)
}

export function updateAccount(
  c: Connection,
  accountId: number,
  changes: Partial<Omit<Account, 'id'>>,
): Account | undefined {
  const account = findAccount(c, accountId)
  if (account === undefined) return undefined
  const next = { ...account, ...changes }
  c.run(
    'UPDATE accounts SET name = ?, suspended = ?, countdown_tools = ?, rate_limit = ? WHERE id = ?',
    next.name,
    Number(next.suspended),
    Number(next.countdownTools),
    next.rateLimit,
    accountId,
  )
  bumpVersion(c)
  return next
}

export function createKey(c: Connection, key: Omit<Key, 'revokedAt'> & { secretHash: Uint8Array }): void {
  c.run(
    'INSERT INTO api_keys (id, account_id, name, secret_hash, created_at) VALUES (?, ?, ?, ?, ?)',
    key.id,
    key.accountId,
    key.name,
    key.secretHash,
    key.createdAt,
  )
  bumpVersion(c)
}

export function listKeys(c: Connection, accountId: number): Key[] {
  return c.all('SELECT * FROM api_keys WHERE account_id = ? ORDER BY created_at, id', accountId).map(toKey)
}

export function findKey(c: Connection, keyId: string): Key | undefined {
  const row = c.get('SELECT * FROM api_keys WHERE id = ?', keyId)
  return row && toKey(row)
}

export function renameKey(c: Connection, keyId: string, name: string): Key | undefined {
  return changedKey(c, c.get('UPDATE api_keys SET name = ? WHERE id = ? RETURNING *', name, keyId))
}

export function revokeKey(c: Connection, keyId: string, revokedAt: number): Key | undefined {
  const row = c.get(
    'UPDATE api_keys SET revoked_at = coalesce(revoked_at, ?) WHERE id = ? RETURNING *',
    revokedAt,
    keyId,
  )
  return changedKey(c, row)
}

function changedKey(c: Connection, row: Row | undefined): Key | undefined {
  if (row === undefined) return undefined
  bumpVersion(c)
  return toKey(row)
}

export function findLiveKey(c: Connection, keyId: string): LiveKey | undefined {
  const row = c.get(
    `SELECT secret_hash, accounts.* FROM api_keys JOIN accounts ON accounts.id = account_id
      WHERE api_keys.id = ? AND revoked_at IS NULL`,
    keyId,
  )
  return row && { id: keyId, secretHash: row.secret_hash, account: toAccount(row) }
}

export function listCampaigns(
  c: Connection,
  accountId: number,
  { limit, afterId, isDraft }: CampaignFilter,
): CampaignSummary[] {
  const columns = 'SELECT id, name, type_id, is_draft FROM campaigns WHERE account_id = ?'
  const rows =
    isDraft === null
      ? c.all(`${columns} AND id > ? ORDER BY id LIMIT ?`, accountId, afterId, limit)
      : c.all(
          `${columns} AND is_draft = ? AND id > ? ORDER BY id LIMIT ?`,
          accountId,
          Number(isDraft),
          afterId,
          limit,
        )
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    typeId: row.type_id,
    isDraft: row.is_draft === 1,
  }))
}

/** The caller holds a read transaction: campaign, pages, rules and version are of one moment. */
export function findCampaign(c: Connection, campaignId: number): Campaign | undefined {
  const row = c.get('SELECT * FROM campaigns WHERE id = ?', campaignId)
  if (row === undefined) return undefined
  const { mechanism, ...settings } = JSON.parse(row.settings)
  const rules = c.all('SELECT id, rule FROM rules WHERE campaign_id = ?', campaignId)
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    isDraft: row.is_draft === 1,
    ...settings,
    schedule: { timeZone: settings.timeZone, mechanism },
    pages: c.all('SELECT * FROM offer_pages WHERE campaign_id = ? ORDER BY id', campaignId).map(toPage),
    ruleId: row.rule_id,
    rules: new Map(rules.map(({ id, rule }): [number, Rule] => [id, JSON.parse(rule)])),
    version: readVersion(c),
  }
}

export function deleteCampaign(c: Connection, campaignId: number): boolean {
  const deleted = c.run('DELETE FROM campaigns WHERE id = ?', campaignId).changes > 0
  if (deleted) bumpVersion(c)
  return deleted
}

/** The caller holds a write transaction. @throws Refused */
export function applyCampaign(c: Connection, accountId: number, settings: CampaignSettings): Campaign {
  if (findAccount(c, accountId) === undefined) throw new Refused(`there is no account ${accountId}`)
  const campaignId =
    settings.id === undefined
      ? insertCampaign(c, accountId, settings)
      : updateCampaign(c, accountId, settings.id, settings)
  const rule = ruleOf({ timeZone: settings.timeZone, mechanism: settings.mechanism })
  c.run('UPDATE campaigns SET rule_id = ? WHERE id = ?', rule && ruleId(c, campaignId, rule), campaignId)
  replacePages(c, campaignId, settings.pages)
  bumpVersion(c)
  return findCampaign(c, campaignId) as Campaign
}

function insertCampaign(c: Connection, accountId: number, settings: CampaignSettings): number {
  return c.run(
    'INSERT INTO campaigns (account_id, name, type_id, is_draft, settings) VALUES (?, ?, ?, ?, ?)',
    accountId,
    settings.name,
    campaignType(settings.mechanism).id,
    Number(settings.isDraft),
    settingsText(settings),
  ).lastInsertRowid
}

function updateCampaign(c: Connection, accountId: number, id: number, settings: CampaignSettings): number {
  const row = c.get('SELECT account_id, settings FROM campaigns WHERE id = ?', id)
  if (row?.account_id !== accountId) {
    throw new Refused(`id: account ${accountId} has no campaign ${id}; leave id out to make a new one`)
  }
  const before = JSON.parse(row.settings).mechanism.deadline.kind
  const after = settings.mechanism.deadline.kind
  if (kindGroup(before) !== kindGroup(after) && hasLeads(c, id)) {
    throw new Refused(
      `mechanism.deadline.kind: cannot change from ${before} to ${after} while the campaign has leads; ` +
        'make a new campaign instead',
    )
  }
  c.run(
    'UPDATE campaigns SET name = ?, type_id = ?, is_draft = ?, settings = ? WHERE id = ?',
    settings.name,
    campaignType(settings.mechanism).id,
    Number(settings.isDraft),
    settingsText(settings),
    id,
  )
  return id
}

function settingsText({ timeZone, mechanism, anonymous, onExpiry, mailTimer }: CampaignSettings): string {
  return JSON.stringify({ timeZone, mechanism, anonymous, onExpiry, mailTimer })
}

/** Attempts of these groups store different things, so a lead cannot go from one to another. */
function kindGroup(kind: string): string {
  return kind === 'fixed' || kind === 'none' ? kind : 'anchored'
}

function hasLeads(c: Connection, campaignId: number): boolean {
  return c.get('SELECT 1 FROM leads WHERE campaign_id = ? LIMIT 1', campaignId) !== undefined
}

function ruleId(c: Connection, campaignId: number, rule: Rule): number {
  const text = JSON.stringify(rule)
  c.run('INSERT INTO rules (campaign_id, rule) VALUES (?, ?) ON CONFLICT DO NOTHING', campaignId, text)
  return c.get('SELECT id FROM rules WHERE campaign_id = ? AND rule = ?', campaignId, text)?.id
}

function replacePages(c: Connection, campaignId: number, pages: CampaignSettings['pages']): void {
  const known = new Set<number>(
    c.all('SELECT id FROM offer_pages WHERE campaign_id = ?', campaignId).map((row) => row.id),
  )
  for (const [index, page] of pages.entries()) {
    const values = [page.pageUrl, page.proxyUrl, Number(page.eligible)]
    if (page.id === undefined) {
      c.run(
        'INSERT INTO offer_pages (page_url, proxy_url, eligible, campaign_id) VALUES (?, ?, ?, ?)',
        ...values,
        campaignId,
      )
    } else if (known.delete(page.id)) {
      c.run(
        'UPDATE offer_pages SET page_url = ?, proxy_url = ?, eligible = ? WHERE id = ?',
        ...values,
        page.id,
      )
    } else {
      throw new Refused(`pages[${index}].id: the campaign has no page ${page.id}; leave id out to add one`)
    }
  }
  for (const id of known) c.run('DELETE FROM offer_pages WHERE id = ?', id)
}

function toAccount(row: Row): Account {
  return {
    id: row.id,
    name: row.name,
    suspended: row.suspended === 1,
    countdownTools: row.countdown_tools === 1,
    rateLimit: row.rate_limit,
  }
}

function toKey(row: Row): Key {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  }
}

function toPage(row: Row): Page {
  return { id: row.id, pageUrl: row.page_url, proxyUrl: row.proxy_url, eligible: row.eligible === 1 }
}
