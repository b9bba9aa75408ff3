// Endpoints, and what waits to be told to them. Both engines run the same statements, each of which names the account.
import { boundTo, type Runner, type Sql } from '../sql.ts'
import {
  changeEndpoint,
  createEndpoint,
  discardBefore,
  pauseEndpoint,
  purge,
  resend,
  resendFailed,
  resumeEndpoint,
  rotateSecret,
  setHealth,
  startBackfill,
} from './changes.ts'
import { accountsWithEndpoints, deletedEndpoints, findEndpoint, listEndpoints } from './endpoint.ts'
import { leasesOn } from './leases.ts'
import { namesBy } from './names.ts'
import { discardFailed, purgeOld, queueOn, resetTries, waiting } from './queue.ts'
import { sweepsOn } from './sweeps.ts'

/** What differs between the engines. */
export type EventsOptions = {
  /** Seconds by the database's clock, in SQL, where several nodes share it; null where one process serves it. */
  sharedClock: string | null
  /** Rows of one statement. */
  rowsAtOnce: number
}

/** `key` is the installation's own. */
export function eventsOn(runner: Runner, key: Uint8Array, { sharedClock, rowsAtOnce }: EventsOptions) {
  const { read, write, writeUnflushed } = runner
  const inRows =
    <Args extends unknown[], T>(work: (sql: Sql, rows: number, ...args: Args) => Promise<T>) =>
    (sql: Sql, ...args: Args) =>
      work(sql, rowsAtOnce, ...args)
  return {
    ...boundTo(read, { listEndpoints, findEndpoint, waiting, accountsWithEndpoints, deletedEndpoints }),
    ...boundTo(write, { createEndpoint, changeEndpoint, pauseEndpoint, resumeEndpoint, rotateSecret, startBackfill }),
    ...boundTo(write, { resend, resendFailed: inRows(resendFailed), discardBefore }),
    ...boundTo(write, { discardFailed: inRows(discardFailed), resetTries: inRows(resetTries) }),
    ...boundTo(writeUnflushed, { purge: inRows(purge), purgeOld: inRows(purgeOld), setHealth }),
    ...leasesOn(runner, sharedClock),
    ...queueOn(runner, sharedClock, rowsAtOnce),
    ...sweepsOn(runner, rowsAtOnce),
    ...namesBy(key),
  }
}
