// What a new campaign may begin with.
import type { AskedOf } from '../../../api.ts'
import type { Language } from '../../../language.ts'
import { ownZone } from '../../../parts/local-time.ts'

export const templateNames = ['hours', 'midnight', 'friday', 'blackFriday', 'blank'] as const
export type TemplateName = (typeof templateNames)[number]

type GivenSettings = AskedOf<'POST /campaigns'>['body']['settings']

const mechanisms: Record<TemplateName, (today: Date) => object> = {
  hours: () => ({ startsOn: 'registration', deadline: { kind: 'after', period: 'PT48H' } }),
  midnight: () => ({ startsOn: 'registration', deadline: { kind: 'daysAt', days: 3, time: '23:59' } }),
  friday: () => ({
    startsOn: 'registration',
    deadline: { kind: 'next', closes: { every: 'week', on: ['fri'], time: '23:59' }, minLead: 'PT24H' },
  }),
  blackFriday: (today) => ({
    startsOn: 'registration',
    deadline: { kind: 'fixed', at: `${nextBlackFriday(today)}T23:59` },
  }),
  blank: () => ({ startsOn: 'registration', deadline: { kind: 'none' } }),
}

/** A draft in the reader's own time zone and language, with the widget's and the image's usual settings. */
export function fromTemplate(template: TemplateName, name: string, today: Date, language: Language): GivenSettings {
  const conversion = { closes: true }
  return {
    name,
    timeZone: ownZone,
    language,
    mechanism: mechanisms[template](today),
    conversion,
    isDraft: true,
    mailTimer: {},
  }
}

/** The day after the fourth Thursday of November: this year's, or the next one's where it is over. */
export function nextBlackFriday(today: Date): string {
  const inYear = (year: number) => {
    const firstOfNovember = new Date(Date.UTC(year, 10, 1)).getUTCDay()
    const firstThursday = 1 + ((4 - firstOfNovember + 7) % 7)
    return new Date(Date.UTC(year, 10, firstThursday + 22)).toISOString().slice(0, 10)
  }
  // By the reader's clock, as the campaign's zone is: in America it is still Friday when it is Saturday in UTC.
  const now = new Intl.DateTimeFormat('sv').format(today)
  const year = today.getFullYear()
  return inYear(year) >= now ? inYear(year) : inYear(year + 1)
}
