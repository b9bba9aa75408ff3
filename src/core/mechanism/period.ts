import type { Seconds } from '../instant.ts'
import { checked, DAY_SECONDS, TEN_YEARS_DAYS } from './calendar.ts'
import type { Zone } from './zone.ts'

/** Calendar days, the same local time that many dates later; or exact elapsed time. */
export type Period = { days: number } | { seconds: number }

const LONGEST_SECONDS = 87_840 * 3600

/** `P3D`, `PT48H`, `PT90M` or `PT1H30M`, from one minute to ten years; undefined for anything else. */
export function parsePeriod(text: string): Period | undefined {
  const [, days, hours, minutes] = /^P(?:(\d{1,7})D|T(?=\d)(?:(\d{1,7})H)?(?:(\d{1,7})M)?)$/.exec(text) ?? []
  if (days !== undefined) {
    return Number(days) >= 1 && Number(days) <= TEN_YEARS_DAYS ? { days: Number(days) } : undefined
  }
  const seconds = Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60
  return seconds >= 60 && seconds <= LONGEST_SECONDS ? { seconds } : undefined
}

/** The period of a checked setting. Throws a RangeError if it was not checked. */
export function periodOf(setting: string): Period {
  return checked(parsePeriod(setting))
}

export function addPeriod(zone: Zone, at: Seconds, period: Period): Seconds {
  return 'seconds' in period ? at + period.seconds : zone.toInstant(zone.toLocal(at) + period.days * DAY_SECONDS)
}
