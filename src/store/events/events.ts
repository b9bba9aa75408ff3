// Endpoints, and what waits to be told to them. Both engines run the same statements. Each names the account unless it
// asks about all of them.
import { boundTo, type Runner } from '../sql.ts'
import {
  changeEndpoint,
  createEndpoint,
  discardBefore,
  pauseEndpoint,
  pauseFailing,
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

/** `key` and `sharedClock` as in `sharedParts`. */
export function eventsOn(runner: Runner, key: Uint8Array, sharedClock: string | null) {
  const { read, write, writeUnflushed } = runner
  return {
    ...boundTo(read, { listEndpoints, findEndpoint, waiting, accountsWithEndpoints, deletedEndpoints }),
    ...boundTo(write, {
      createEndpoint,
      changeEndpoint,
      pauseEndpoint,
      pauseFailing,
      resumeEndpoint,
      rotateSecret,
      startBackfill,
    }),
    ...boundTo(write, { resend, resendFailed, discardBefore, discardFailed, resetTries }),
    ...boundTo(writeUnflushed, { purge, purgeOld, setHealth }),
    ...leasesOn(runner, sharedClock),
    ...queueOn(runner, sharedClock),
    ...sweepsOn(runner),
    ...namesBy(key),
  }
}
