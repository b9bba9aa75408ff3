// Time zones, by the data that the server counts with: a browser's may be older, and would show other times.
import Type from 'typebox'
import { clockChanges, zoneData, zoneName } from '../../core/mechanism/zone.ts'
import { formerNames } from '../../core/mechanism/zone-data.ts'
import { closed } from '../schemas.ts'
import { invalid } from './errors.ts'
import { forViewer } from './route.ts'

export const timeZoneRoutes = {
  /** What a campaign may choose from, and by what other names people may look for it. */
  ...forViewer('GET /time-zones', {
    async run() {
      return { names: zoneData().names.toSorted(), formerNames }
    },
  }),
  /**
   * How far clocks are ahead of UTC in a decade, `2020`, and in the one before it: from each `at` on, in seconds. The
   * first one is where that time begins.
   */
  ...forViewer('GET /clock-changes', {
    query: Type.Object(
      { timeZone: Type.String({ maxLength: 100 }), decade: Type.String({ pattern: '^[1-9]\\d\\d0$' }) },
      closed,
    ),
    async run({ query: { timeZone, decade } }) {
      const name = zoneName(timeZone)
      if (name === undefined) throw invalid('timeZone', 'must be the name of a time zone, such as "Europe/Warsaw"')
      const yearBegins = (year: number) => Date.UTC(year, 0) / 1_000
      return { changes: clockChanges(name, yearBegins(Number(decade) - 10), yearBegins(Number(decade) + 10)) }
    },
  }),
}
