import { createContext, use } from 'react'

export const languages = ['en', 'pl'] as const
export type Language = (typeof languages)[number]

/** How dates are written: the day comes first in both. */
export const locales: Record<Language, string> = { en: 'en-GB', pl: 'pl' }

const kept = 'lastcall.language'

/** What the reader chose before, or else what their browser prefers. */
export function firstLanguage(): Language {
  const chosen = localStorage.getItem(kept)
  const wanted = chosen === null ? navigator.languages : [chosen]
  const known = wanted.map((name) => languages.find((one) => one === name.split('-', 1)[0]))
  return known.find((one) => one !== undefined) ?? 'en'
}

/**
 * Chromium that was started without a language says `en-US@posix`, which is none (RFC 5646). The library of the charts
 * makes a number format of it while it loads, and failed.
 */
export function nameBrowserLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language)
  } catch {
    Object.defineProperty(navigator, 'language', { value: 'en' })
  }
}

export function keepLanguage(language: Language): void {
  localStorage.setItem(kept, language)
}

export const LanguageContext = createContext<{ language: Language; setLanguage(next: Language): void }>({
  language: 'en',
  setLanguage() {},
})

export function useLanguage(): Language {
  return use(LanguageContext).language
}

/** The words of one screen: Polish has every entry that English has, or it does not compile. */
export function inBoth<Words>(words: { en: Words; pl: NoInfer<Words> }): Record<Language, Words> {
  return words
}

export function useWords<Words>(words: Record<Language, Words>): Words {
  return words[useLanguage()]
}

/** Of a whole number. In Polish `other` stands for 0 and 5 too, and `few` is left out where it is the same. */
type Forms = { one: string; few?: string; other: string }

const rules = { en: new Intl.PluralRules('en'), pl: new Intl.PluralRules('pl') }
const numbers = { en: new Intl.NumberFormat('en'), pl: new Intl.NumberFormat('pl') }

/** The form of a word for so many: `#` in it stands for the number. */
export function plural(language: Language, count: number, forms: Forms): string {
  const form = forms[rules[language].select(count) as keyof Forms] ?? forms.other
  return form.replace('#', numbers[language].format(count))
}
