// The parts of a mail: the deadline in words, and the HTML with link and countdown, in the campaign's language.
import type { Seconds } from './instant.ts'
import type { MailLanguage } from './mail-language.ts'
import { zoneOf } from './mechanism/zone.ts'

/** `at` stands between date and time, `clock` behind the time. */
type MailWords = { at: string; clock?: string; ends(deadline: string): string; see: string }

const words: Record<MailLanguage, MailWords> = {
  en: { at: 'at', ends: (deadline) => `The offer ends on ${deadline}`, see: 'See the offer' },
  pl: { at: 'o', ends: (deadline) => `Oferta kończy się ${deadline}`, see: 'Zobacz ofertę' },
  de: { at: 'um', clock: 'Uhr', ends: (deadline) => `Das Angebot endet am ${deadline}`, see: 'Zum Angebot' },
  es: { at: 'a las', ends: (deadline) => `La oferta termina el ${deadline}`, see: 'Ver la oferta' },
  fr: { at: 'à', ends: (deadline) => `L’offre se termine le ${deadline}`, see: 'Voir l’offre' },
  it: { at: 'alle ore', ends: (deadline) => `L’offerta termina in data ${deadline}`, see: 'Vai all’offerta' },
  nl: {
    at: 'om',
    clock: 'uur',
    ends: (deadline) => `De aanbieding eindigt op ${deadline}`,
    see: 'Bekijk de aanbieding',
  },
  pt: { at: 'às', ends: (deadline) => `A oferta termina em ${deadline}`, see: 'Ver a oferta' },
  cs: { at: 'v', ends: (deadline) => `Nabídka končí ${deadline}`, see: 'Zobrazit nabídku' },
  uk: { at: 'о', ends: (deadline) => `Пропозиція закінчується ${deadline}`, see: 'Переглянути пропозицію' },
}

/** In place of a deadline: until that visit the image shows the whole time at each open. */
const fromVisit: Record<MailLanguage, string> = {
  en: 'Your time for this offer begins with your first visit to its page',
  pl: 'Twój czas na tę ofertę zaczyna się od pierwszej wizyty na jej stronie',
  de: 'Ihre Zeit für dieses Angebot beginnt mit Ihrem ersten Besuch der Seite',
  es: 'Su plazo para esta oferta empieza con su primera visita a la página',
  fr: 'Votre délai pour cette offre commence avec votre première visite de la page',
  it: 'Il tempo per questa offerta inizia con la sua prima visita alla pagina',
  nl: 'Uw tijd voor deze aanbieding begint met uw eerste bezoek aan de pagina',
  pt: 'O seu prazo para esta oferta começa com a sua primeira visita à página',
  cs: 'Čas na tuto nabídku vám začíná první návštěvou stránky',
  uk: 'Час на цю пропозицію починається з вашого першого відвідування сторінки',
}

/** Before some hours, as they are spoken, `at` is another word. */
const otherAt: Partial<Record<MailLanguage, [hours: RegExp, at: string]>> = {
  // Ve dvě, ve tři, ve čtyři, ve dvanáct, ve třináct, ve čtrnáct, ve dvacet.
  cs: [/^([01][234]|2)/, 've'],
  // A la una.
  es: [/^01/, 'a la'],
  // À uma.
  pt: [/^01/, 'à'],
  // Об одинадцятій.
  uk: [/^11/, 'об'],
}

/** Dates in each language; in English the day comes first, as in most of the world. */
const dates = new Map<MailLanguage, Intl.DateTimeFormat>()

function dateFormat(language: MailLanguage): Intl.DateTimeFormat {
  return dates.getOrInsertComputed(language, () => {
    const locale = language === 'en' ? 'en-GB' : language
    return new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' })
  })
}

/** `25 November 2026 at 23:59` in the time zone. Seconds are cut, so that it never names a time after the deadline. */
export function deadlineInWords(at: Seconds, timeZone: string, language: MailLanguage): string {
  const local = new Date(zoneOf(timeZone).toLocal(at) * 1_000)
  const time = local.toISOString().slice(11, 16)
  const [hours, other] = otherAt[language] ?? []
  const { at: usual, clock } = words[language]
  const word = other !== undefined && hours?.test(time) ? other : usual
  const date = dateFormat(language).format(local)
  // In French the first day of a month is the only one that is counted as first.
  const day = language === 'fr' ? date.replace(/^1 /, '1er ') : date
  return `${day} ${word} ${time}${clock === undefined ? '' : ` ${clock}`}`
}

/** What the HTML is filled with: merge tags, or what they stand for. What is null is left out. */
type MailValues = { link: string; timer: string | null; deadline: string | null; startsOnVisit: boolean }
type Size = { width: number; height: number }

/** What to paste into a mail; docs/email.md has the same. `m` is for mail programs that keep images by their address. */
export function mailHtml(values: MailValues, { width, height }: Size, language: MailLanguage): string {
  const { link, timer, deadline } = values
  const { ends, see } = words[language]
  const alt = deadline === null ? see : ends(deadline)
  const sentence = sentenceOf(values, language, (text) => `<strong>${text}</strong>`)
  const image = `<a href="${link}"><img src="${timer}?m=1" width="${width}" height="${height}"
  alt="${alt}"
  style="display: block; width: 100%; max-width: ${width}px; height: auto; border: 0"></a>
`
  return `${timer === null ? '' : image}<p>${sentence && `${sentence} `}<a href="${link}">${see}</a></p>`
}

/** The same for readers of plain text. */
export function mailText(values: MailValues, language: MailLanguage): string {
  const sentence = sentenceOf(values, language, (text) => text)
  // French has a space before the colon.
  const colon = language === 'fr' ? '\u00a0:' : ':'
  return `${sentence && `${sentence}\n`}${words[language].see}${colon} ${values.link}\n`
}

/** When the offer ends, or what that depends on; empty if it does not end. */
function sentenceOf(
  { deadline, startsOnVisit }: MailValues,
  language: MailLanguage,
  strong: (text: string) => string,
): string {
  if (deadline !== null) return `${words[language].ends(strong(deadline))}.`
  return startsOnVisit ? `${fromVisit[language]}.` : ''
}
