import { UnusableDatabase } from '../store.ts'
import type { Connection } from './connection.ts'
import { rollback } from './connection.ts'

/** "LCal": marks a file as a Lastcall database (PRAGMA application_id). */
const applicationId = 0x4c43616c

/** Numbered from 1. A migration that has been released is never edited: add the next one. */
const migrations: readonly string[] = [
  `
  CREATE TABLE accounts (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    suspended INTEGER NOT NULL DEFAULT 0,
    countdown_tools INTEGER NOT NULL DEFAULT 1,
    rate_limit INTEGER
  ) STRICT;

  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    secret_hash BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX api_keys_by_account ON api_keys (account_id, created_at);

  CREATE TABLE campaigns (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES accounts,
    name TEXT NOT NULL,
    type_id INTEGER NOT NULL,
    is_draft INTEGER NOT NULL,
    settings TEXT NOT NULL,
    rule_id INTEGER
  ) STRICT;
  CREATE INDEX campaigns_by_account ON campaigns (account_id, id);
  CREATE INDEX campaigns_by_state ON campaigns (account_id, is_draft, id);

  -- What attempts were begun with: a lead names its rule, so that an edit of the campaign leaves it alone.
  CREATE TABLE rules (
    id INTEGER PRIMARY KEY,
    campaign_id INTEGER NOT NULL REFERENCES campaigns ON DELETE CASCADE,
    rule TEXT NOT NULL,
    UNIQUE (campaign_id, rule)
  ) STRICT;

  CREATE TABLE offer_pages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    campaign_id INTEGER NOT NULL REFERENCES campaigns ON DELETE CASCADE,
    page_url TEXT NOT NULL,
    proxy_url TEXT,
    eligible INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX offer_pages_by_campaign ON offer_pages (campaign_id, id);

  -- Instants are seconds. An attempt that is pending has no anchor. resets stands last but one of the small
  -- columns because 0, 1 and NULL take no room in a row.
  CREATE TABLE leads (
    id INTEGER PRIMARY KEY,
    campaign_id INTEGER NOT NULL REFERENCES campaigns ON DELETE CASCADE,
    email TEXT NOT NULL,
    ref BLOB NOT NULL,
    registered_at INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    resets INTEGER NOT NULL,
    rule_id INTEGER,
    anchor_at INTEGER,
    opens_at INTEGER,
    deadline_at INTEGER,
    by_hand_deadline_at INTEGER,
    by_hand_set_at INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX leads_by_email ON leads (campaign_id, email);
  CREATE UNIQUE INDEX leads_by_ref ON leads (ref);

  -- Counts the changes of accounts, keys and campaigns, so that a server sees when to read them again.
  CREATE TABLE configuration (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL) STRICT;
  INSERT INTO configuration VALUES (1, 1);
  `,
]

/** The database version that this program works with. */
export const latestVersion = migrations.length

/**
 * Brings the database to `latestVersion`, each migration in a transaction of its own, and returns how many
 * were applied. @throws UnusableDatabase when it is newer than this program or not Lastcall's.
 */
export function migrate(connection: Connection): number {
  let applied = 0
  for (;;) {
    const done = step(connection)
    if (done) return applied
    applied += 1
  }
}

function step(connection: Connection): boolean {
  // The version is read again under the write lock: another process may be migrating at this moment.
  if (checkVersion(connection) === latestVersion) return true
  connection.exec('BEGIN IMMEDIATE')
  try {
    const version = checkVersion(connection)
    if (version < latestVersion) {
      connection.exec(migrations[version] as string)
      connection.exec(`PRAGMA user_version = ${version + 1}; PRAGMA application_id = ${applicationId}`)
    }
    connection.exec('COMMIT')
    return version === latestVersion
  } catch (error) {
    rollback(connection)
    throw error
  }
}

/** The version of a database that this program may use. @throws UnusableDatabase */
export function checkVersion(connection: Connection): number {
  const version: number = connection.get('PRAGMA user_version')?.user_version
  const id: number = connection.get('PRAGMA application_id')?.application_id
  const tables: number = connection.get('SELECT count(*) AS n FROM sqlite_schema')?.n
  if (id !== applicationId && (id !== 0 || version !== 0 || tables !== 0)) {
    throw new UnusableDatabase('the file is an SQLite database, but not one of Lastcall')
  }
  if (version > latestVersion) {
    throw new UnusableDatabase(
      `the database has version ${version}, this program knows ${latestVersion}: start a newer Lastcall`,
    )
  }
  return version
}
