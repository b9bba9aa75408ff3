// What the rest of Lastcall asks of a database. Each engine answers it in a folder of its own.
import type { RateVerdict } from '../core/rate-window.ts'
import type { Actor } from './audit.ts'
import type { Configuration } from './configuration.ts'
import type {
  Campaign,
  DeadlineFilter,
  Decide,
  FoundLead,
  Lead,
  LeadFilter,
  LeadName,
  LeadRefusal,
  LeadWrite,
  PartFilter,
  SearchStep,
} from './model.ts'
import type { sharedParts } from './parts.ts'

export type Store = ReturnType<typeof sharedParts> & {
  configuration: Configuration
  leads: LeadStore
  rates: Rates
  /** Calls back after accounts, keys or campaigns were changed, by this process or another, within 0.5 s. */
  onChange(listener: () => void): void
  /** True while reads and writes reach the database that was opened. */
  isReady(): boolean
  /** False once another database has taken the place of the one that was opened, or a newer Lastcall has migrated it. */
  isOurs(): boolean
  /** Versions of zone data, other than ours, with which processes count that are connected now. */
  otherZoneData(): Promise<string[]>
  /** A consistent copy of the embedded database in a new file; absent on PostgreSQL. @throws Refused */
  backup?(file: string): Promise<void>
  close(): Promise<void>
}

/** How a process opens its database. */
export type OpenOptions = {
  /** How long a registration waits for a lock that another process holds on the embedded database. */
  lockWaitMs: number
  /** How long a request waits for each answer of PostgreSQL. */
  timeoutMs: number
  /** Connections to PostgreSQL that write leads, and as many that read leads and count requests. */
  poolSize: number
  /** Prepares for requests before the first one; no statement on the embedded database waits for a lock. */
  isServer: boolean
  /** False: a database without tables is refused. */
  mayCreate?: boolean
  /**
   * Called once when a newer Lastcall has migrated the database. From then on every call rejects with StoreUnavailable:
   * stop the process.
   */
  onNewerDatabase?: () => void
  /** Called each time that the database can no longer be used, with what stands in the way. */
  onLost?: (error: unknown) => void
}

/** Each call rejects with StoreUnavailable where the database does not answer. */
export type LeadStore = {
  find(campaign: Campaign, email: string): Promise<Lead | undefined>
  /** `ref` may be anything that somebody put into an address. */
  findByRef(ref: string): Promise<FoundLead | undefined>
  /** Those that are there, in any order; visitors without an email are not among them. */
  findByIds(accountId: number, ids: readonly number[]): Promise<FoundLead[]>
  /**
   * Reads the lead, asks `decide`, and stores the result, as one step: no other write and no change of the account's
   * settings comes in between. Resolves once the result is on disk. `decide` gets the campaign as it is then, which may
   * be newer than the caller's. It may be asked before as well, without a transaction: a refusal, and a lead that
   * stays as it was read, need none. `expectsNew`: the email is probably new, and where a read costs much it is decided
   * on as new and inserted first.
   */
  write(campaign: Campaign, email: string, decide: Decide, expectsNew: boolean): Promise<LeadWrite | LeadRefusal>
  /** Ascending email, at most `limit`; visitors without an email are not among them. */
  list(campaign: Campaign, filter: LeadFilter): Promise<Lead[]>
  /** By the deadline that is stored, or set by hand, then by opening and id. Leads without one are left out. */
  listByDeadline(campaign: Campaign, filter: DeadlineFilter): Promise<Lead[]>
  /** Ascending email, at most `limit`: those that have no stored deadline. */
  listWithoutDeadline(campaign: Campaign, filter: Omit<LeadFilter, 'prefix'>): Promise<Lead[]>
  /** Looks through so many leads, in the order of their emails. */
  search(campaign: Campaign, filter: PartFilter): Promise<SearchStep>
  /**
   * Removes the leads as one step, and resolves with how many there were. On SQLite their rows are overwritten then,
   * and a server empties the write-ahead log, which still has them, behind that.
   */
  erase(leads: readonly LeadName[], by: Actor): Promise<number>
  /** Removes every trace of an address without leads that the engine can reach, which may take a minute. */
  eraseTraces(email: string): Promise<void>
}

/** Requests counted in the fixed UTC minute, exactly over all keys and nodes (contract, "Rate"). */
export type Rates = {
  /**
   * Counts one request of the account against `limit` a minute; `nowMs` is milliseconds of the wall clock. `waitedMs` is
   * how long the request has waited for the database already: so much less is waited here.
   */
  count(accountId: number, limit: number, nowMs: number, waitedMs?: number): Promise<RateVerdict>
  /** The same for the API for events, which is counted apart: no number of visitors takes its room. */
  countEvents(accountId: number, limit: number, nowMs: number, waitedMs?: number): Promise<RateVerdict>
  /** The same for a visitor, who is named by an address. The address itself is kept nowhere. */
  countVisitor(address: string, limit: number, nowMs: number): Promise<RateVerdict>
}
