// Errors of the store.

/** The database does not answer, is locked by somebody else, or was removed. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** For what may be left out while the database does not take it. */
export function goOnIfUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error
}

/** https://sqlite.org/rescode.html#full */
export const SQLITE_FULL = 13
/** https://www.postgresql.org/docs/current/errcodes-appendix.html */
const DISK_FULL = '53100'

/** What is wrong with the database, in words of ours for the operator's log. */
export function outageIn({ cause }: StoreUnavailable): string {
  const { errcode, code } = (cause ?? {}) as { errcode?: unknown; code?: unknown }
  return errcode === SQLITE_FULL || code === DISK_FULL
    ? "the database's disk is full: make room"
    : 'the database cannot be used'
}

/**
 * A server behind the database is away, such as a worker of Citus, or somebody has locked a row: others can still be
 * had.
 */
export class PartlyUnavailable extends StoreUnavailable {
  override name = 'PartlyUnavailable'
}

/** A database that this program must not touch; the message is one line for the operator. */
export class UnusableDatabase extends Error {
  override name = 'UnusableDatabase'
}

/** A file that DATABASE_URL names, such as that of sslrootcert, cannot be used. */
export class WrongAddress extends UnusableDatabase {
  override name = 'WrongAddress'
}

/** It has no tables, so it is probably not the one that was meant. */
export class EmptyDatabase extends UnusableDatabase {
  override name = 'EmptyDatabase'
}

/** A change that the stored data does not allow; the message says which, and what to do. */
export class Refused extends Error {
  override name = 'Refused'
}

/** What was to be replaced has changed since it was read. */
export class ChangedMeanwhile extends Error {
  override name = 'ChangedMeanwhile'
}
