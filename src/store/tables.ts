// The tables that both engines have alike. Whatever an engine has of its own stands in its migrations.

/** How an engine writes what standard SQL has no word for. */
export type Dialect = {
  /** An integer of 64 bits. */
  integer: string
  bytes: string
  /** A primary key that the database counts up and never gives twice. */
  identity: string
  /** What ends the definition of a table. */
  end: string
}

/** Version 2: what an installation begins with, but for its leads. */
export function configurationTables(dialect: Dialect): string {
  return accountTables(dialect) + countTables(dialect) + installationTables(dialect)
}

/** Accounts, keys, campaigns with their pages, and the rules that attempts were begun with. */
function accountTables({ integer, bytes, identity, end }: Dialect): string {
  return `
  CREATE TABLE accounts (
    id ${identity},
    name TEXT NOT NULL,
    suspended ${integer} NOT NULL DEFAULT 0,
    countdown_tools ${integer} NOT NULL DEFAULT 1,
    rate_limit ${integer},
    version ${integer} NOT NULL DEFAULT 1
  )${end};

  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    account_id ${integer} NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    secret_hash ${bytes} NOT NULL,
    created_at ${integer} NOT NULL,
    revoked_at ${integer}
  )${end};
  CREATE INDEX api_keys_by_account ON api_keys (account_id, created_at);

  CREATE TABLE campaigns (
    id ${identity},
    account_id ${integer} NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    type_id ${integer} NOT NULL,
    is_draft ${integer} NOT NULL,
    settings TEXT NOT NULL,
    rule_id ${integer}
  )${end};
  CREATE INDEX campaigns_by_account ON campaigns (account_id, id);
  CREATE INDEX campaigns_by_state ON campaigns (account_id, is_draft, id);

  -- What attempts were begun with: a lead names its rule, so that an edit of the campaign leaves it alone.
  -- A rule may be longer than PostgreSQL takes into an index, its digest is not.
  CREATE TABLE rules (
    id ${identity},
    campaign_id ${integer} NOT NULL REFERENCES campaigns ON DELETE CASCADE,
    digest TEXT NOT NULL,
    rule TEXT NOT NULL,
    UNIQUE (campaign_id, digest)
  )${end};

  CREATE TABLE offer_pages (
    id ${identity},
    campaign_id ${integer} NOT NULL REFERENCES campaigns ON DELETE CASCADE,
    page_url TEXT NOT NULL,
    proxy_url TEXT,
    eligible ${integer} NOT NULL
  )${end};
  CREATE INDEX offer_pages_by_campaign ON offer_pages (campaign_id, id);
  `
}

function countTables({ integer, end }: Dialect): string {
  return `
  -- What recipients did, by local day of the campaign (days since 1970), page (0: none), kind and fetcher.
  CREATE TABLE daily_counts (
    account_id ${integer} NOT NULL,
    campaign_id ${integer} NOT NULL,
    day ${integer} NOT NULL,
    page_id ${integer} NOT NULL,
    kind ${integer} NOT NULL,
    fetcher ${integer} NOT NULL,
    total ${integer} NOT NULL,
    PRIMARY KEY (account_id, campaign_id, day, page_id, kind, fetcher)
  )${end};

  CREATE TABLE lead_counts (
    account_id ${integer} NOT NULL,
    lead_id ${integer} NOT NULL,
    day ${integer} NOT NULL,
    kind ${integer} NOT NULL,
    fetcher ${integer} NOT NULL,
    total ${integer} NOT NULL,
    PRIMARY KEY (account_id, lead_id, day, kind, fetcher)
  )${end};
  `
}

function installationTables({ integer, bytes, end }: Dialect): string {
  return `
  -- Countdown images as far as they can be drawn ahead, by what they depend on; made anew when they are lost.
  CREATE TABLE timer_templates (
    id TEXT PRIMARY KEY,
    template ${bytes} NOT NULL,
    made_at ${integer} NOT NULL
  )${end};

  -- One row: what belongs to the installation as a whole. ref_key makes the public names of the leads.
  CREATE TABLE installation (
    id ${integer} PRIMARY KEY CHECK (id = 1),
    ref_key ${bytes} NOT NULL
  )${end};
  `
}

/** Version 3: the users of the panel, when keys were last used, and when the widget was last seen on a page. */
export function panelTables({ integer, bytes, identity, end }: Dialect): string {
  return `
  -- Emails of users are kept in lower case.
  CREATE TABLE users (
    id ${identity},
    account_id ${integer} NOT NULL REFERENCES accounts,
    email TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    created_at ${integer} NOT NULL
  )${end};
  CREATE INDEX users_by_account ON users (account_id, id);

  -- Of tokens only the SHA-256 is kept.
  CREATE TABLE sessions (
    token_hash ${bytes} PRIMARY KEY,
    user_id ${integer} NOT NULL REFERENCES users ON DELETE CASCADE,
    created_at ${integer} NOT NULL,
    seen_at ${integer} NOT NULL
  )${end};
  CREATE INDEX sessions_by_user ON sessions (user_id);

  -- invited_by is null for the link that makes the first account.
  CREATE TABLE invitations (
    token_hash ${bytes} PRIMARY KEY,
    account_id ${integer} REFERENCES accounts,
    invited_by ${integer} REFERENCES users ON DELETE CASCADE,
    ends_at ${integer} NOT NULL
  )${end};
  CREATE INDEX invitations_by_user ON invitations (invited_by);

  -- Tries of what is limited, such as signing in, by the SHA-256 of whose they are.
  CREATE TABLE tries (
    bucket ${bytes} PRIMARY KEY,
    tried ${integer} NOT NULL,
    ends_at ${integer} NOT NULL
  )${end};

  ALTER TABLE api_keys ADD COLUMN last_used_at ${integer};
  -- Of a key that was replaced: until then it works beside the one in its place.
  ALTER TABLE api_keys ADD COLUMN grace_ends_at ${integer};

  -- Noted behind the answers, when the page may be gone: so without a reference.
  CREATE TABLE page_sightings (
    page_id ${integer} PRIMARY KEY,
    seen_at ${integer} NOT NULL
  )${end};
  `
}
