import type { Seconds } from '../core/instant.ts'

/** The clock of the command line: now, cut to whole seconds. */
export function now(): Seconds {
  return Math.floor(Date.now() / 1000)
}
