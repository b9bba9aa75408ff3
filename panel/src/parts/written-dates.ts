// How people write a time, in either language.
import 'dayjs/locale/pl.js'
import dayjs from 'dayjs'
import customParseFormat from 'dayjs/plugin/customParseFormat.js'
import utc from 'dayjs/plugin/utc.js'
import type { Language } from '../language.ts'

dayjs.extend(customParseFormat)
// Read in the browser's own zone, a time that clocks skip there would be none.
dayjs.extend(utc)

declare module 'dayjs' {
  // The plugin takes a language, as the library does; its types leave that out.
  export function utc(text: string, format: string, language: Language, isStrict: boolean): Dayjs
}

/** A local time such as `2026-12-31T23:59`, or a day such as `2026-12-31`. */
export type Clock = 'moment' | 'day'

const stored = { moment: 'YYYY-MM-DD[T]HH:mm', day: 'YYYY-MM-DD' } satisfies Record<Clock, string>
const shown = { moment: 'D MMM YYYY, HH:mm', day: 'D MMM YYYY' } satisfies Record<Clock, string>
const days = ['D MMM YYYY', 'YYYY-MM-DD', 'D.M.YYYY', 'D/M/YYYY', 'D-M-YYYY', 'D-MM-YYYY']
const typed = {
  moment: [stored.moment, ...days.flatMap((day) => [`${day}, H:mm`, `${day} H:mm`])],
  day: days,
} satisfies Record<Clock, string[]>

/** A day such as `2026-12-31` in a page's address; none so old that its seconds since 1970 are below zero anywhere. */
export function dateIn(search: URLSearchParams, name: string): string | undefined {
  const text = search.get(name) ?? ''
  return text >= '1971' && dayjs.utc(text, stored.day, true).isValid() ? text : undefined
}

/** In the reader's language; nothing for nothing. */
export function inWords(clock: Clock, value: string, language: Language): string {
  const read = dayjs.utc(value.slice(0, 16), stored[clock], true)
  return read.isValid() ? read.locale(language).format(shown[clock]) : value
}

const weekdays =
  /^(?:mon|tue|wed|thu|fri|sat|sun|pon|wt|wto|śr|śro|czw|pt|pią|sob|sb|niedz|nie|ndz)\p{L}*\.?,? (?=\d)/iu

/**
 * With each month in its first three letters, as both languages shorten them, the year in full, a time as `9:05`, and no
 * zero before a day, a month or an hour: the library takes one form of each. A day of the week before it, as the panel
 * shows times, says nothing more; nor do the Polish “r.” and a comma beside the year.
 */
function plain(text: string, language: Language): string {
  const month = ([first = '', ...rest]: string) =>
    (language === 'en' ? first.toUpperCase() : first.toLowerCase()) + rest.join('').slice(0, 2).toLowerCase()
  const words = text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replace(weekdays, '')
    .replace(/(\d{4}|[./]\d\d) ?r\.?(?=,| |$)/, '$1')
    .replace(/(\p{L}), (?=\d{4})/u, '$1 ')
    .replace(/,? (?:o godz\.?|o|at|godz\.?) (?=\d)/iu, ', ')
    .replaceAll(/\p{L}{3,}/gu, month)
    .replace(/^(\d\d?[./]\d\d?[./])(\d\d)(?!\d)/, '$120$2')
    .replace(/ (\d\d?)(?:\.(\d\d))?$/, (_, hour, minute = '00') => ` ${hour}:${minute}`)
  return words.replaceAll(/(?<![\d:T-])0(?=\d)/g, '')
}

/** What somebody typed. A day alone gets the time `usualTime`. Empty where it cannot be read. */
export function readClock(clock: Clock, text: string, language: Language, usualTime: string): string {
  const written = plain(text, language)
  const read = typed[clock].map((format) => dayjs.utc(written, format, language, true)).find((one) => one.isValid())
  if (read !== undefined) return read.format(stored[clock])
  const day = clock === 'moment' ? readClock('day', text, language, usualTime) : ''
  return day === '' ? '' : `${day}T${usualTime}`
}
