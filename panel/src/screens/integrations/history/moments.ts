import { locales, useLanguage } from '../../../language.ts'
import { ownZone, useClock, wallClock } from '../../../parts/local-time.ts'

/** Instants of the history, in the reader's own zone, which a heading names. */
export function useMoments() {
  const locale = locales[useLanguage()]
  const { zone, offsetAt } = useClock(ownZone)
  const of = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { hourCycle: 'h23', timeZone: 'UTC', ...options })
    return (milliseconds: number) => {
      const offset = offsetAt(milliseconds / 1_000)
      return offset === undefined ? '' : format.format(wallClock(milliseconds / 1_000, offset))
    }
  }
  const day = { day: 'numeric', month: 'short' } as const
  const minute = { hour: '2-digit', minute: '2-digit' } as const
  return {
    /** Its name: the offset changes with the clocks, and with it what each row shows. */
    zone,
    offsetAt,
    day: of(day),
    minute: of(minute),
    second: of({ ...minute, second: '2-digit' }),
    dayAndMinute: of({ ...day, ...minute }),
    dayAndSecond: of({ ...day, ...minute, second: '2-digit' }),
    number: new Intl.NumberFormat(locale).format,
  }
}
