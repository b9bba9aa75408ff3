import type { TimerUnit } from '../core/timer-style.ts'

export type Units = readonly TimerUnit[]

const secondsIn: Readonly<Record<TimerUnit, number>> = { days: 86_400, hours: 3_600, minutes: 60, seconds: 1 }
const inTheLarger = { days: 1_000, hours: 24, minutes: 60, seconds: 60 }

/** The first column also counts what larger units would show; from 999 on it shows 999. */
const MOST_VALUES = 1_000

/** How many values a column can show. */
export function valuesOf(units: Units, column: number): number {
  return column === 0 ? MOST_VALUES : inTheLarger[units[column] as TimerUnit]
}

/** Seconds of the smallest unit that is shown. */
export function smallest(units: Units): number {
  return secondsIn[units.at(-1) as TimerUnit]
}

/**
 * Splits whole seconds into what the columns show. Zeros say that the offer is over, so until then the smallest unit
 * shows at least 1.
 */
export function timeLeft(seconds: number, units: Units): number[] {
  let rest = seconds > 0 ? Math.max(seconds, smallest(units)) : 0
  return units.map((unit, column) => {
    const value = Math.floor(rest / secondsIn[unit])
    rest -= value * secondsIn[unit]
    return Math.min(value, valuesOf(units, column) - 1)
  })
}

/** The digits of a column: two, or three from 100 on. */
export function digitsOf(value: number): string {
  return String(value).padStart(2, '0')
}

/** How much of its ring a value fills: a full ring is 30 days, 24 hours, 60 minutes or 60 seconds. */
export function ringShare(unit: TimerUnit, value: number): number {
  return Math.min(1, value / (unit === 'days' ? 30 : inTheLarger[unit]))
}
