import { type Fault, isObject, join, refuse } from '../fault.ts'
import type { Weekday } from './calendar.ts'
import { refuseConflicts } from './conflicts.ts'
import type { Recurrence } from './recurrence.ts'
import { checkMechanism } from './shape.ts'
import { zoneName } from './zone.ts'

/** What a campaign decides by. Never changed in place: what is computed from it is remembered. */
export type Schedule = { timeZone: string; mechanism: Mechanism }

export type Mechanism = {
  startsOn: 'registration' | 'visit'
  deadline: Deadline
  endsAt?: string
  reset?: Reset
  retry?: Retry
  cycle?: CycleSetting
}

export type Deadline = FixedDeadline | AfterDeadline | DaysAtDeadline | NextDeadline | NoDeadline
export type FixedDeadline = { kind: 'fixed'; at: string; opensAt?: string }
export type AfterDeadline = { kind: 'after'; period: string }
export type DaysAtDeadline = {
  kind: 'daysAt'
  days: number
  time: string
  skipWeekdays?: Weekday[]
  skipDates?: string[]
}
export type NextDeadline = {
  kind: 'next'
  closes: Recurrence
  minLead?: string
  opens?: Recurrence
  skipWeekdays?: Weekday[]
  skipDates?: string[]
}
export type NoDeadline = { kind: 'none' }

export type Reset = { enabled: boolean; max?: number }
export type Retry = { enabled: false; after?: string; max?: number } | RetryOn
export type RetryOn = { enabled: true; after: string; max?: number }
export type CycleSetting = { enabled: false; pause?: string; max?: number } | CycleOn
export type CycleOn = { enabled: true; pause: string; max?: number }

/**
 * The settings as they are to be kept; or undefined, and every fault is added to `faults`. Their paths
 * begin with `timeZone` or `mechanism`, under `path` where the schedule is part of something else.
 */
export function checkSchedule(
  timeZone: unknown,
  mechanism: unknown,
  faults: Fault[],
  path = '',
): Schedule | undefined {
  const faultsBefore = faults.length
  const mechanismPath = join(path, 'mechanism')
  const name = checkTimeZone(timeZone, join(path, 'timeZone'), faults)
  const kept =
    mechanism === undefined
      ? refuse(faults, mechanismPath, 'is missing')
      : checkMechanism(mechanism, mechanismPath, faults)
  if (isObject(mechanism)) refuseConflicts(mechanism, name, mechanismPath, faults)
  if (name === undefined || kept === undefined || faults.length > faultsBefore) return undefined
  return { timeZone: name, mechanism: kept }
}

function checkTimeZone(timeZone: unknown, path: string, faults: Fault[]): string | undefined {
  if (timeZone === undefined) return refuse(faults, path, 'is missing')
  const name = typeof timeZone === 'string' ? zoneName(timeZone) : undefined
  return name ?? refuse(faults, path, 'must be the name of an IANA time zone such as "Europe/Warsaw"')
}
