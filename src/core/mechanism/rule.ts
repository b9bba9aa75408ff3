import { remembered } from './remembered.ts'
import type { CycleOn, Deadline, Schedule } from './settings.ts'

/** A deadline that is each lead's own, counted from the anchor. */
export type PersonalDeadline = Exclude<Deadline, { kind: 'fixed' | 'none' }>

/** What an attempt keeps of the schedule that it began under. Plain JSON. */
export type Rule = {
  timeZone: string
  deadline: PersonalDeadline
  cycle: { pause: string; max?: number } | null
}

/** Null for `fixed` and `none`, which are read live. The same object for the same schedule. */
export const ruleOf: (schedule: Schedule) => Rule | null = remembered(
  ({ timeZone, mechanism: { deadline, cycle } }: Schedule): Rule | null =>
    deadline.kind === 'fixed' || deadline.kind === 'none'
      ? null
      : { timeZone, deadline, cycle: cycle?.enabled ? frozen(cycle) : null },
)

function frozen({ pause, max }: CycleOn): Rule['cycle'] {
  return max === undefined ? { pause } : { pause, max }
}
