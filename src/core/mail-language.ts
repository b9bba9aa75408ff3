/** Of campaigns, countdown images, the widget and the pages in words. The API answers in two (specification, 2.4). */
export const mailLanguages = ['en', 'pl', 'de', 'es', 'fr', 'it', 'nl', 'pt', 'cs', 'uk'] as const
export type MailLanguage = (typeof mailLanguages)[number]
