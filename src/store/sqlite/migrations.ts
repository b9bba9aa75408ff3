import { randomBytes } from 'node:crypto'
import { UnusableDatabase } from '../errors.ts'
import { assertKnown, firstVersion, latestVersion, migrationTo, unfinishedCopy } from '../migrations.ts'
import { refKeyBytes } from '../ref.ts'
import { type Connection, rollback } from './connection.ts'

/** "LCal": marks a file as a Lastcall database (PRAGMA application_id). */
const applicationId = 0x4c43616c

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
      connection.exec(migrationTo(next, 'sqlite'))
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
export function checkVersion(connection: Connection, mayCreate = true): number {
  // In one statement, so that all is of one moment: another process may be making the database.
  const { version, id, tables } = connection.get(
    `SELECT (SELECT count(*) FROM sqlite_schema) AS tables, user_version AS version, application_id AS id
      FROM pragma_user_version, pragma_application_id`,
  ) as { version: number; id: number; tables: number }
  if (id !== applicationId && (id !== 0 || version !== 0 || tables !== 0)) {
    throw new UnusableDatabase('the file is an SQLite database, but not one of Lastcall')
  }
  assertKnown(version, mayCreate)
  return version
}

/** @throws UnusableDatabase */
export function assertCopied(connection: Connection): void {
  const mark = connection.get("SELECT 1 AS found FROM sqlite_schema WHERE name = 'unfinished_copy'")
  if (mark !== undefined) throw new UnusableDatabase(unfinishedCopy)
}
