import { anything, type Fault, isObject, join, refuse, valid } from '../fault.ts'
import { refuseConflicts } from './conflicts.ts'
import type { Schedule } from './settings.ts'
import { checkMechanism } from './shape.ts'
import { zoneName } from './zone.ts'

/**
 * The time zone and the mechanism in `value` as they are to be stored; or undefined, and every fault is added to
 * `faults`. Their paths begin with `timeZone` or `mechanism`, under `path` if the schedule is part of something else.
 */
export function checkSchedule(value: unknown, faults: Fault[], path = ''): Schedule | undefined {
  const faultsBefore = faults.length
  const mechanism = valid(value, 'mechanism', anything)
  const mechanismPath = join(path, 'mechanism')
  const name = checkTimeZone(valid(value, 'timeZone', anything), join(path, 'timeZone'), faults)
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
