import { inBoth } from '../../language.ts'
import { spanInWords } from './rules/preview-words.ts'
import { words as rulesWords } from './rules/words.ts'
import type { Style } from './timer/usual-style.ts'
import { words as timerWords } from './timer/words.ts'

/** Names of settings, by the beginning of their path; the longest that fits is taken. */
type Names = Record<string, string>

/**
 * As on the timer's own screen, but for two that are sentences there. A new setting wants a field in
 * timer/style-fields.tsx too, and another number in unsaved.ts.
 */
function timerNames(language: 'en' | 'pl', showLabels: string, pixelsPerPoint: string): Names {
  const words = timerWords[language]
  const { preset, units, whenOver, digitSize, labelSize, gap, uppercase } = words
  const { width, height, background, font, cornerRadius } = words
  const names: Record<Exclude<keyof Style, 'labelTexts'>, string> = {
    ...{ preset, units, whenOver, digitSize, labelSize, gap, uppercase, showLabels, pixelsPerPoint },
    ...{ width, height, background, font, cornerRadius, ...words.colours },
  }
  const labels: Names = Object.fromEntries(
    Object.entries(words.unitNames).map(([unit, name]) => [`labelTexts.${unit}`, words.ownLabel(name)]),
  )
  return Object.fromEntries(Object.entries({ ...names, ...labels }).map(([name, text]) => [`mailTimer.${name}`, text]))
}

const en: Names = {
  name: 'Name',
  timeZone: 'Time zone',
  language: 'Language of mails',
  'mechanism.startsOn': 'What starts the offer',
  'mechanism.deadline': 'When the offer ends',
  'mechanism.deadline.skip': 'Days left out',
  'mechanism.deadline.opens': 'When it opens',
  'mechanism.deadline.minLead': 'Least time',
  'mechanism.endsAt': 'End of the campaign',
  'mechanism.reset': 'Repeat sign-ups',
  'mechanism.retry': 'Another chance',
  'mechanism.cycle': 'Opens again by itself',
  anonymous: 'Visitors without an email',
  conversion: 'A purchase ends the offer',
  onExpiry: 'When time is up',
  'onExpiry.redirectUrl': 'Page after the end',
  pages: 'Offer page',
  mailTimer: 'Mail timer',
  ...timerNames('en', 'Show labels', 'Sharpness'),
  'mailTimer.whenOver.text': 'The text then',
}

const pl: typeof en = {
  name: 'Nazwa',
  timeZone: 'Strefa czasowa',
  language: 'Język e-maili',
  'mechanism.startsOn': 'Co zaczyna ofertę',
  'mechanism.deadline': 'Kiedy oferta się kończy',
  'mechanism.deadline.skip': 'Pominięte dni',
  'mechanism.deadline.opens': 'Kiedy się otwiera',
  'mechanism.deadline.minLead': 'Najkrótszy czas',
  'mechanism.endsAt': 'Koniec kampanii',
  'mechanism.reset': 'Ponowne zapisy',
  'mechanism.retry': 'Kolejna szansa',
  'mechanism.cycle': 'Samoczynne otwarcie',
  anonymous: 'Odwiedzający bez adresu e-mail',
  conversion: 'Zakup kończy ofertę',
  onExpiry: 'Gdy czas minie',
  'onExpiry.redirectUrl': 'Strona po końcu',
  pages: 'Strona oferty',
  mailTimer: 'Licznik w e-mailu',
  ...timerNames('pl', 'Pokazuj podpisy', 'Ostrość'),
  'mailTimer.whenOver.text': 'Tekst po terminie',
}

/** Of a page its number too. */
export function settingName(path: string, names: Names): string {
  const known = Object.keys(names).filter((start) => path.startsWith(start))
  const longest = known.sort((a, b) => b.length - a.length)[0]
  const [, number] = /^pages\[(\d+)\]/.exec(path) ?? []
  const name = longest === undefined ? path : (names[longest] as string)
  return number === undefined ? name : `${name} ${Number(number) + 1}`
}

function choicesAt(language: 'en' | 'pl', path: string): Names {
  const { starts, kinds, every, weekdays, actions } = rulesWords[language]
  const { presets, ends, unitNames } = timerWords[language]
  if (/^(?:mechanism|onExpiry)\./.test(path)) return { ...starts, ...kinds, ...every, ...weekdays, ...actions }
  return /^mailTimer\.(?:preset|units|whenOver\.show)$/.test(path) ? { ...presets, ...ends, ...unitNames } : {}
}

/** A choice of the rules or of the mail timer, or a period, in words; everything else as it is, such as a number of any length. */
function valueIn(language: 'en' | 'pl', path: string, value: string | number): string {
  const choices = choicesAt(language, path)
  const names = String(value).split(', ')
  if (names.every((name) => Object.hasOwn(choices, name))) return names.map((name) => choices[name]).join(', ')
  const [, days, hours = 0, minutes = 0] = /^P(?:(\d{1,7})D|T(?:(\d{1,7})H)?(?:(\d{1,7})M)?)$/.exec(String(value)) ?? []
  const seconds = Number(days ?? 0) * 86_400 + Number(hours) * 3_600 + Number(minutes) * 60
  return seconds > 0 ? spanInWords(language, seconds) : String(value)
}

export const words = inBoth({
  en: {
    title: 'Other changes were saved meanwhile',
    by: (who: string, when: string) => `The campaign was last saved by ${who}, ${when}.`,
    outside: 'The campaign was last saved on the command line.',
    formerUser: 'a former user',
    you: 'you',
    unsaved: 'The changes here are not saved yet.',
    setting: 'Setting',
    theirs: 'Saved',
    mine: 'Here',
    keepMine: 'Keep what is here',
    takeTheirs: 'Take what is saved',
    nothing: '–',
    on: 'on',
    off: 'off',
    value: (path: string, value: string | number) => valueIn('en', path, value),
    settings: en,
  },
  pl: {
    title: 'W tym czasie zapisano inne zmiany',
    by: (who: string, when: string) => `Kampanię ostatnio zapisano: ${when}; przez: ${who}.`,
    outside: 'Kampanię ostatnio zapisano w wierszu poleceń.',
    formerUser: 'były użytkownik',
    you: 'Ty',
    unsaved: 'Zmiany tutaj nie są jeszcze zapisane.',
    setting: 'Ustawienie',
    theirs: 'Zapisane',
    mine: 'Tutaj',
    keepMine: 'Zachowaj to, co tutaj',
    takeTheirs: 'Przyjmij zapisane',
    nothing: '–',
    on: 'włączone',
    off: 'wyłączone',
    value: (path: string, value: string | number) => valueIn('pl', path, value),
    settings: pl,
  },
})
