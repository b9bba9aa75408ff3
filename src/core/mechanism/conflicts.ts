import { type Fault, flag, isObject, join, refuse, valid } from '../fault.ts'
import { isWritable } from '../instant.ts'
import { checked, parseDateTime, TEN_YEARS_DAYS, WEEKDAYS, type Weekday } from './calendar.ts'
import { datesOf, type Recurrence } from './recurrence.ts'
import { checkRecurrence, days, localDateTime, skipDates, skipWeekdays, startsOn } from './shape.ts'
import { type Skips, skippedBy, skippedDates } from './window.ts'
import { zoneOf } from './zone.ts'

/**
 * Refuses settings of which each is valid, but not all of them together. It reads the settings as they came, and skips
 * those that are invalid by themselves, so that one answer names every fault.
 */
export function refuseConflicts(mechanism: unknown, timeZone: string | undefined, path: string, faults: Fault[]): void {
  const deadline = valid(mechanism, 'deadline', (value) => (isObject(value) ? value : undefined))
  const deadlinePath = join(path, 'deadline')
  const skips = skipsOf(deadline)
  refuseUnwritable([mechanism, path, 'endsAt'], timeZone, faults)
  switch (deadline?.kind) {
    case 'fixed':
      refusePersonalSettings(mechanism, deadline.kind, path, faults)
      refuseOpeningTooLate(deadline, timeZone ?? 'UTC', deadlinePath, faults)
      for (const name of ['at', 'opensAt']) refuseUnwritable([deadline, deadlinePath, name], timeZone, faults)
      return
    case 'none':
      refusePersonalSettings(mechanism, deadline.kind, path, faults)
      return
    case 'daysAt':
      refuseTooManyDays(valid(deadline, 'days', days), skips, deadlinePath, faults)
      break
    case 'next':
      refuseClosingNever(valid(deadline, 'closes', checkRecurrence), skips, deadlinePath, faults)
      break
  }
  if (isOn(mechanism, 'retry') && isOn(mechanism, 'cycle')) {
    refuse(faults, join(join(path, 'cycle'), 'enabled'), 'must be false while retry is enabled')
  }
}

function refusePersonalSettings(mechanism: unknown, kind: string, path: string, faults: Fault[]): void {
  if (valid(mechanism, 'startsOn', startsOn) === 'visit') {
    refuse(faults, join(path, 'startsOn'), `must be "registration" with a deadline of the kind "${kind}"`)
  }
  for (const block of ['reset', 'retry', 'cycle']) {
    if (!isOn(mechanism, block)) continue
    const blockPath = join(join(path, block), 'enabled')
    refuse(faults, blockPath, `must be false with a deadline of the kind "${kind}"`)
  }
}

/** In UTC the last hours of the year 9999 may be in the year 10000, which no answer could write. */
function refuseUnwritable(
  [of, path, name]: [of: unknown, path: string, name: string],
  timeZone: string | undefined,
  faults: Fault[],
): void {
  const at = valid(of, name, localDateTime)
  if (at === undefined || isWritable(zoneOf(timeZone ?? 'UTC').toInstant(checked(parseDateTime(at))))) return
  refuse(faults, join(path, name), 'must be in the years 0000 to 9999 in UTC')
}

/** Compares instants: around a gap of daylight saving, the later local time can be the earlier instant. */
function refuseOpeningTooLate(deadline: unknown, timeZone: string, path: string, faults: Fault[]): void {
  const opensAt = valid(deadline, 'opensAt', localDateTime)
  const at = valid(deadline, 'at', localDateTime)
  if (opensAt === undefined || at === undefined) return
  const { toInstant } = zoneOf(timeZone)
  if (toInstant(checked(parseDateTime(opensAt))) < toInstant(checked(parseDateTime(at)))) return
  refuse(faults, join(path, 'opensAt'), 'must be before "at"')
}

function refuseTooManyDays(days: number | undefined, skips: Skips, path: string, faults: Fault[]): void {
  const weekdaysLeft = WEEKDAYS.length - new Set(skips.skipWeekdays).size
  const most = Math.floor((TEN_YEARS_DAYS * weekdaysLeft) / WEEKDAYS.length)
  if (days === undefined || days <= most) return
  refuse(faults, join(path, 'days'), `must be at most ${most}: with these weekdays skipped, that is ten years`)
}

function refuseClosingNever(closes: Recurrence | undefined, skips: Skips, path: string, faults: Fault[]): void {
  if (closes === undefined) return
  const { skipWeekdays = [] } = skips
  if (closes.every === 'week' && closes.on.every((weekday) => skipWeekdays.includes(weekday))) {
    refuse(faults, join(join(path, 'closes'), 'on'), 'must name a weekday that is not skipped')
  } else if (leavesTenYearsOut(closes, skips)) {
    refuse(faults, join(path, 'skipDates'), 'must leave a date on which the offer closes within ten years')
  }
}

/**
 * Whether the skipped dates leave ten years without a closing. That can happen only to a monthly rule: in ten years it
 * has fewer dates than may be skipped.
 */
function leavesTenYearsOut(closes: Recurrence, skips: Skips): boolean {
  const isDate = datesOf(closes)
  const isSkipped = skippedBy(skips)
  const nearestDate = (from: number, step: 1 | -1): number => {
    let day = from
    while (Math.abs(day - from) <= TEN_YEARS_DAYS && (isSkipped(day) || !isDate(day))) day += step
    return day
  }
  let lookedAtUntil = Number.NEGATIVE_INFINITY
  for (const skipped of skippedDates(skips).sort((a, b) => a - b)) {
    if (skipped < lookedAtUntil) continue
    lookedAtUntil = nearestDate(skipped, 1)
    if (lookedAtUntil - nearestDate(skipped, -1) > TEN_YEARS_DAYS) return true
  }
  return false
}

function skipsOf(deadline: unknown): Skips {
  const weekdays: Weekday[] = valid(deadline, 'skipWeekdays', skipWeekdays) ?? []
  return { skipWeekdays: weekdays, skipDates: valid(deadline, 'skipDates', skipDates) ?? [] }
}

function isOn(mechanism: unknown, block: string): boolean {
  return valid(mechanism, block, (value) => valid(value, 'enabled', flag)) ?? false
}
