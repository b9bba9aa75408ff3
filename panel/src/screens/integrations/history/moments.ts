import { useLanguage } from '../../../language.ts'

/** Instants of the history, in the reader's own zone, which a heading names. */
export function useMoments() {
  const language = useLanguage()
  const locale = language === 'en' ? 'en-GB' : language
  const of = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { hourCycle: 'h23', ...options })
    return (milliseconds: number) => format.format(milliseconds)
  }
  const day = { day: 'numeric', month: 'short' } as const
  const minute = { hour: '2-digit', minute: '2-digit' } as const
  const zoneParts = new Intl.DateTimeFormat(locale, { timeZoneName: 'short' }).formatToParts(Date.now())
  return {
    zone: zoneParts.find(({ type }) => type === 'timeZoneName')?.value ?? '',
    day: of(day),
    minute: of(minute),
    second: of({ ...minute, second: '2-digit' }),
    dayAndMinute: of({ ...day, ...minute }),
    dayAndSecond: of({ ...day, ...minute, second: '2-digit' }),
    number: new Intl.NumberFormat(locale).format,
  }
}
