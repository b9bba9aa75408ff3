// What both engines do alike, and the tables of both.
export type Account = { id: number; suspended: boolean; countdownTools: boolean }
export type Campaign = {
  id: number
  name: string
  isDraft: boolean
  timeZone: string
  days: number
  time: string
  hasTimer: boolean
}
export type Page = { id: number; pageUrl: string; eligible: boolean }
/** Instants are seconds. */
export type NewLead = {
  campaignId: number
  email: string
  ref: string
  registeredAt: number
  deadline: number | null
}
export type Lead = NewLead & { id: number }

type Answer<T> = T | Promise<T>

export type Database = {
  accountOfKey(hash: string): Answer<Account | undefined>
  /** How often the account has asked in this minute, this request included. */
  countRequest(accountId: number, minute: number): Answer<number>
  campaign(accountId: number, id: number): Answer<Campaign | undefined>
  campaigns(accountId: number, afterId: number, isDraft: boolean | undefined, limit: number): Answer<Campaign[]>
  /** Ascending `id`. */
  pages(campaignId: number): Answer<Page[]>
  lead(campaignId: number, email: string): Answer<Lead | undefined>
  /** Undefined where the email is registered already. */
  addLead(lead: NewLead): Answer<Lead | undefined>
  addLeads(leads: NewLead[]): Answer<unknown>
  /** With a key, its first ten campaigns and their pages. */
  addAccount(keyHash: string, campaigns: Omit<Campaign, 'id'>[], pageUrls: string[]): Answer<unknown>
  close(): Answer<unknown>
}

/** How an engine writes a primary key that counts up, and a table that need not outlive a crash. */
export function tablesOf(id: string, counters: string): string {
  return `
    CREATE TABLE accounts (
      id ${id}, name text NOT NULL, suspended boolean NOT NULL, countdown_tools boolean NOT NULL);
    CREATE TABLE api_keys (
      id ${id}, account_id integer NOT NULL REFERENCES accounts, hash text NOT NULL UNIQUE);
    CREATE TABLE campaigns (
      id ${id}, account_id integer NOT NULL REFERENCES accounts, name text NOT NULL, is_draft boolean NOT NULL,
      time_zone text NOT NULL, days integer NOT NULL, time text NOT NULL, has_timer boolean NOT NULL);
    CREATE INDEX campaigns_by_account ON campaigns (account_id, id);
    CREATE TABLE pages (
      id ${id}, campaign_id integer NOT NULL REFERENCES campaigns, page_url text NOT NULL,
      eligible boolean NOT NULL);
    CREATE INDEX pages_by_campaign ON pages (campaign_id, id);
    CREATE TABLE leads (
      id ${id}, campaign_id integer NOT NULL REFERENCES campaigns, email text NOT NULL, ref text NOT NULL UNIQUE,
      registered_at bigint NOT NULL, deadline bigint, UNIQUE (campaign_id, email));
    CREATE ${counters} rates (account_id integer PRIMARY KEY, minute bigint NOT NULL, count integer NOT NULL);`
}
