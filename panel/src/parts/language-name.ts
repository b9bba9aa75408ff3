import type { AnswerOf } from '../api.ts'
import type { Language } from '../language.ts'

/** Languages of mails; the service has more of them than the panel. */
export type MailLanguage = AnswerOf<'GET /campaigns/:campaignId'>['settings']['language']

const all: Record<MailLanguage, true> = {
  ...{ en: true, pl: true, de: true, es: true, fr: true },
  ...{ it: true, nl: true, pt: true, cs: true, uk: true },
}
export const mailLanguages = Object.keys(all) as MailLanguage[]

/** `German`, or in Polish `niemiecki`. */
export function languageName(reader: Language, language: string): string {
  return new Intl.DisplayNames(reader, { type: 'language' }).of(language) ?? language
}
