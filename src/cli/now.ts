import { type Seconds, secondsOf } from '../core/instant.ts'

/** The clock of the command line, cut to whole seconds. */
export const secondsNow = (): Seconds => secondsOf(Date.now())
