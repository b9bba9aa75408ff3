import type { Seconds } from '../instant.ts'
import { checked, parseDateTime } from './calendar.ts'
import { remembered } from './remembered.ts'
import type { Schedule } from './settings.ts'
import { zoneOf } from './zone.ts'

/** The instants of a schedule that hold for every lead and are read live, in its present time zone. */
export type LiveInstants = { endsAt: Seconds | null; opensAt: Seconds | null; deadlineAt: Seconds | null }

export const liveInstants: (schedule: Schedule) => LiveInstants = remembered(
  ({ timeZone, mechanism: { deadline, endsAt } }: Schedule): LiveInstants => {
    const instant = (local: string | undefined): Seconds | null =>
      local === undefined ? null : zoneOf(timeZone).toInstant(checked(parseDateTime(local)))
    const { at, opensAt } = deadline.kind === 'fixed' ? deadline : {}
    return { endsAt: instant(endsAt), opensAt: instant(opensAt), deadlineAt: instant(at) }
  },
)
