import type { Weekday } from './calendar.ts'
import type { Recurrence } from './recurrence.ts'

/** What a campaign decides by. It must never be changed in place, since what is computed from it is remembered. */
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
type FixedDeadline = { kind: 'fixed'; at: string; opensAt?: string }
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
type NoDeadline = { kind: 'none' }

export type Reset = { enabled: boolean; max?: number }
export type Retry = { enabled: false; after?: string; max?: number } | { enabled: true; after: string; max?: number }
export type CycleSetting = { enabled: false; pause?: string; max?: number } | CycleOn
export type CycleOn = { enabled: true; pause: string; max?: number }
