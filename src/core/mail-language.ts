/** Languages of campaigns, countdown images, the widget and error pages. The API has only two (specification, 2.3). */
export const mailLanguages = ['en', 'pl', 'de', 'es', 'fr', 'it', 'nl', 'pt', 'cs', 'uk'] as const
export type MailLanguage = (typeof mailLanguages)[number]
