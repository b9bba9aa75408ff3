import type { CycleOn, Deadline, Schedule } from './settings.ts'

/** A deadline that is each lead's own, counted from the anchor. */
type PersonalDeadline = Exclude<Deadline, { kind: 'fixed' | 'none' }>

/** What an attempt keeps of the schedule that it began under. Plain JSON. */
export type Rule = CyclingRule | { timeZone: string; deadline: PersonalDeadline; cycle: null }
export type CyclingRule = { timeZone: string; deadline: PersonalDeadline; cycle: { pause: string; max?: number } }

/** Null for `fixed` and `none`, which are read live. */
export function ruleOf({ timeZone, mechanism: { deadline, cycle } }: Schedule): Rule | null {
  if (deadline.kind === 'fixed' || deadline.kind === 'none') return null
  return { timeZone, deadline, cycle: cycle?.enabled ? frozen(cycle) : null }
}

function frozen({ pause, max }: CycleOn): CyclingRule['cycle'] {
  return max === undefined ? { pause } : { pause, max }
}
