import { randomBytes } from 'node:crypto'
import { UnusableDatabase } from '../errors.ts'
import { refKeyBytes } from '../ref.ts'
import { configurationTables, type Dialect, panelTables } from '../tables.ts'
import type { Connection } from './connection.ts'
import { rollback } from './connection.ts'

/** "LCal": marks a file as a Lastcall database (PRAGMA application_id). */
const applicationId = 0x4c43616c

const dialect: Dialect = {
  integer: 'INTEGER',
  bytes: 'BLOB',
  identity: 'INTEGER PRIMARY KEY AUTOINCREMENT',
  end: ' STRICT',
}

const columnsOfVersion4 = `id,
  iif(attempt = 1 AND resets = 0 AND anchor_at = registered_at AND by_hand_deadline_at IS NULL
    AND opens_at IS iif(rule_id IS NULL, NULL, registered_at), salt, NULL),
  registered_at, rule_id, deadline_at`

/** A migration that has been released is never edited: add the next one. */
const migrations: readonly string[] = [
  `
  ${configurationTables(dialect)}
  -- Counts the changes of accounts, keys and campaigns, so that a server sees when to read them again.
  CREATE TABLE configuration (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL) STRICT;
  INSERT INTO configuration VALUES (1, 1);

  -- Instants are seconds. An attempt that is pending has no anchor. resets stands last but one of the small
  -- columns because 0, 1 and NULL take no room in a row.
  CREATE TABLE leads (
    id INTEGER PRIMARY KEY,
    account_id INTEGER NOT NULL,
    campaign_id INTEGER NOT NULL,
    email TEXT NOT NULL,
    salt INTEGER NOT NULL,
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
  CREATE TABLE lead_emails (
    campaign_id INTEGER NOT NULL,
    email TEXT NOT NULL,
    lead_id INTEGER NOT NULL,
    PRIMARY KEY (campaign_id, email)
  ) STRICT, WITHOUT ROWID;

  -- Every lead up to this id stands in lead_emails; those after it may.
  CREATE TABLE filing (id INTEGER PRIMARY KEY CHECK (id = 1), filed_up_to INTEGER NOT NULL) STRICT;
  INSERT INTO filing VALUES (1, 0);
  `,
  panelTables(dialect),
  `
  -- Version 4: in a large database a lead to which nothing has happened stood whole with its email, the others with
  -- a salt of NULL.
  DROP TABLE lead_emails;
  CREATE TABLE lead_emails (
    campaign_id INTEGER NOT NULL,
    email TEXT NOT NULL,
    id INTEGER NOT NULL,
    salt INTEGER,
    registered_at INTEGER,
    rule_id INTEGER,
    deadline_at INTEGER,
    PRIMARY KEY (campaign_id, email)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO lead_emails
    SELECT campaign_id, email, ${columnsOfVersion4} FROM leads ORDER BY campaign_id, email;
  UPDATE filing SET filed_up_to = coalesce((SELECT max(id) FROM leads), 0);
  `,
  `
  -- The database itself says which lead is an email's. Leads that were not filed yet are taken along; should one
  -- email have two leads in spite of everything, the one that was found until now stays.
  INSERT OR IGNORE INTO lead_emails (campaign_id, email, id)
    SELECT campaign_id, email, id FROM leads WHERE id > (SELECT filed_up_to FROM filing);
  DELETE FROM leads WHERE (SELECT count(*) FROM leads) > (SELECT count(*) FROM lead_emails)
    AND id NOT IN (SELECT id FROM lead_emails);
  DROP TABLE lead_emails;
  DROP TABLE filing;
  CREATE UNIQUE INDEX leads_by_email ON leads (campaign_id, email);
  `,
]

/** Version 1 was a preview, whose links cannot be read any more. */
const firstVersion = 2

/** The database version that this program works with. */
export const latestVersion = firstVersion + migrations.length - 1

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
      const next = Math.max(version + 1, firstVersion)
      connection.exec(migrations[next - firstVersion] as string)
      connection.exec(`PRAGMA user_version = ${next}; PRAGMA application_id = ${applicationId}`)
      if (version === 0) {
        connection.run('INSERT INTO installation (id, ref_key) VALUES (1, ?)', randomBytes(refKeyBytes))
      }
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
  // In one statement, which sees one moment: another process may be making the database.
  const { version, id, tables } = connection.get(
    `SELECT (SELECT count(*) FROM sqlite_schema) AS tables, user_version AS version, application_id AS id
      FROM pragma_user_version, pragma_application_id`,
  ) as { version: number; id: number; tables: number }
  if (id !== applicationId && (id !== 0 || version !== 0 || tables !== 0)) {
    throw new UnusableDatabase('the file is an SQLite database, but not one of Lastcall')
  }
  if (version > 0 && version < firstVersion) {
    throw new UnusableDatabase('the database was made by a preview of Lastcall: begin with a new one')
  }
  if (version > latestVersion) {
    throw new UnusableDatabase(
      `the database has version ${version}, this program knows ${latestVersion}: start a newer Lastcall`,
    )
  }
  return version
}
