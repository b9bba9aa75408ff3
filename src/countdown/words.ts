import type { MailLanguage } from '../core/mail-language.ts'
import { inFontLetters } from '../core/timer-font.ts'
import type { TimerStyle, TimerUnit } from '../core/timer-style.ts'
import { valuesOf } from './time-left.ts'

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

/** By the plural categories of CLDR; `other` is used for all that are not named. */
const forms: Record<MailLanguage, Record<TimerUnit, Forms>> = {
  en: {
    days: { one: 'day', other: 'days' },
    hours: { one: 'hour', other: 'hours' },
    minutes: { one: 'minute', other: 'minutes' },
    seconds: { one: 'second', other: 'seconds' },
  },
  pl: {
    days: { one: 'dzień', other: 'dni' },
    hours: { one: 'godzina', few: 'godziny', other: 'godzin' },
    minutes: { one: 'minuta', few: 'minuty', other: 'minut' },
    seconds: { one: 'sekunda', few: 'sekundy', other: 'sekund' },
  },
  de: {
    days: { one: 'Tag', other: 'Tage' },
    hours: { one: 'Stunde', other: 'Stunden' },
    minutes: { one: 'Minute', other: 'Minuten' },
    seconds: { one: 'Sekunde', other: 'Sekunden' },
  },
  es: {
    days: { one: 'día', other: 'días' },
    hours: { one: 'hora', other: 'horas' },
    minutes: { one: 'minuto', other: 'minutos' },
    seconds: { one: 'segundo', other: 'segundos' },
  },
  fr: {
    days: { one: 'jour', other: 'jours' },
    hours: { one: 'heure', other: 'heures' },
    minutes: { one: 'minute', other: 'minutes' },
    seconds: { one: 'seconde', other: 'secondes' },
  },
  it: {
    days: { one: 'giorno', other: 'giorni' },
    hours: { one: 'ora', other: 'ore' },
    minutes: { one: 'minuto', other: 'minuti' },
    seconds: { one: 'secondo', other: 'secondi' },
  },
  nl: {
    days: { one: 'dag', other: 'dagen' },
    hours: { other: 'uur' },
    minutes: { one: 'minuut', other: 'minuten' },
    seconds: { one: 'seconde', other: 'seconden' },
  },
  pt: {
    days: { one: 'dia', other: 'dias' },
    hours: { one: 'hora', other: 'horas' },
    minutes: { one: 'minuto', other: 'minutos' },
    seconds: { one: 'segundo', other: 'segundos' },
  },
  cs: {
    days: { one: 'den', few: 'dny', other: 'dní' },
    hours: { one: 'hodina', few: 'hodiny', other: 'hodin' },
    minutes: { one: 'minuta', few: 'minuty', other: 'minut' },
    seconds: { one: 'sekunda', few: 'sekundy', other: 'sekund' },
  },
  uk: {
    days: { one: 'день', few: 'дні', other: 'днів' },
    hours: { one: 'година', few: 'години', other: 'годин' },
    minutes: { one: 'хвилина', few: 'хвилини', other: 'хвилин' },
    seconds: { one: 'секунда', few: 'секунди', other: 'секунд' },
  },
}

/** The label of each value of a column, from 0 on. */
export function wordsOf(style: TimerStyle, language: MailLanguage, column: number): string[] {
  const { units, labelTexts, uppercase } = style
  const unit = units[column] as TimerUnit
  const own = labelTexts[unit]
  const ofUnit = own === undefined ? forms[language][unit] : { other: inFontLetters(own) }
  // The words are European Portuguese; Intl takes `pt` for that of Brazil, whose zero is singular.
  const rules = new Intl.PluralRules(language === 'pt' ? 'pt-PT' : language)
  return Array.from({ length: valuesOf(units, column) }, (_, value) => {
    const word = ofUnit[rules.select(value)] ?? ofUnit.other
    return uppercase ? word.toLocaleUpperCase(language) : word
  })
}

/** Whether words differ only in their endings. */
export function areForms(words: readonly string[]): boolean {
  const stem = words.reduce((least, word) => (word.length < least.length ? word : least))
  return words.every((word) => word.startsWith(stem))
}
