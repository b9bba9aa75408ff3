import type { Language } from '../core/offer.ts'
import { type Field, valuesOf } from './time-left.ts'

type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }

/** By the plural categories of CLDR; for whole numbers Polish needs "one", "few" and "many" only. */
const forms: Record<Language, Record<Field, Forms>> = {
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
}

/** The label under each value of a column, from 0 on. */
export function wordsOf(language: Language, field: Field): string[] {
  const rules = new Intl.PluralRules(language)
  const ofField = forms[language][field]
  return Array.from({ length: valuesOf[field] }, (_, value) => ofField[rules.select(value)] ?? ofField.other)
}
