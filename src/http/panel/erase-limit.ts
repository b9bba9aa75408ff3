import type { Seconds } from '../../core/instant.ts'
import { countRequest, newRateWindow } from '../../core/rate-window.ts'
import type { Session } from '../../store/access.ts'
import { PanelRefusal } from './errors.ts'

/** Of one account in a minute, in this process. Each is a commit of its own, which waits for the disk. */
const mostErasures = 60
const erasures = newRateWindow()

/** Several leads that are erased in one step count as one. @throws PanelRefusal */
export function countErasure({ account }: Session, now: Seconds): void {
  const { allowed, resetSeconds } = countRequest(erasures, account.id, mostErasures, now * 1_000)
  if (!allowed) throw new PanelRefusal('TOO_MANY_TRIES', [], resetSeconds)
}
