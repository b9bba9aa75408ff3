import type { Templates } from '../../countdown/templates.ts'
import type { Counting } from '../../leads/counting.ts'
import type { Visitors } from '../../leads/visitors.ts'
import type { Log } from '../../log.ts'
import type { Store } from '../../store/store.ts'
import type { OneAtATime } from '../one-at-a-time.ts'

export type VisitorParts = {
  store: Pick<Store, 'rates'>
  visitors: Visitors
  templates: Pick<Templates, 'get'>
  /** Countdown images, by account: another account waits for one of them and not for all. */
  building: OneAtATime
  counting: Counting
  /** Registrations by the widget's form, of one visitor in a minute. */
  formRatePerMinute: number
  log: Log
  /** Wall clock, milliseconds. */
  now(): number
}

/** The query as it is written, with all parameters: `request.query` has the first 20 (`framework.ts`). */
export function queryOf(url: string): string | undefined {
  return /^[^?#]*\?([^#]*)/.exec(url)?.[1]
}

/** An id in a path. */
export const idDigits = '[1-9][0-9]{0,15}'

/** Below /visitor/v1. */
export const campaignPath = (operation: string) => `/campaigns/:campaignId(${idDigits})/${operation}`
