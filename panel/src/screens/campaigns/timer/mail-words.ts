import type { MailWords } from './mail-snippet.ts'
import type { MailLanguage } from './usual-style.ts'

/** What the mail says, in its own language. */
export const mailWords: Record<MailLanguage, MailWords> = {
  en: { htmlEnds: (deadline) => `The offer ends on ${deadline}`, htmlSee: 'See the offer' },
  pl: { htmlEnds: (deadline) => `Oferta kończy się ${deadline}`, htmlSee: 'Zobacz ofertę' },
  de: { htmlEnds: (deadline) => `Das Angebot endet am ${deadline}`, htmlSee: 'Zum Angebot' },
  es: { htmlEnds: (deadline) => `La oferta termina el ${deadline}`, htmlSee: 'Ver la oferta' },
  fr: { htmlEnds: (deadline) => `L’offre se termine le ${deadline}`, htmlSee: 'Voir l’offre' },
  it: { htmlEnds: (deadline) => `L’offerta termina il ${deadline}`, htmlSee: 'Vedi l’offerta' },
  nl: { htmlEnds: (deadline) => `De aanbieding eindigt op ${deadline}`, htmlSee: 'Bekijk de aanbieding' },
  pt: { htmlEnds: (deadline) => `A oferta termina em ${deadline}`, htmlSee: 'Ver a oferta' },
  cs: { htmlEnds: (deadline) => `Nabídka končí ${deadline}`, htmlSee: 'Zobrazit nabídku' },
  uk: { htmlEnds: (deadline) => `Пропозиція закінчується ${deadline}`, htmlSee: 'Переглянути пропозицію' },
}
