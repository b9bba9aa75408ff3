import { languages } from './offer.ts'

/** Of countdown images, the widget and the pages in words. The API answers in the first two (specification, 2.4). */
export const mailLanguages = [...languages, 'de', 'es', 'fr', 'it', 'nl', 'pt', 'cs', 'uk'] as const
export type MailLanguage = (typeof mailLanguages)[number]
