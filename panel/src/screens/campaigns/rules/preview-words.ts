import { inBoth, type Language, locales } from '../../../language.ts'
import type { PreviewAnswer } from './lint-words.ts'

type Moment = NonNullable<PreviewAnswer['moments']>[number]
export type Story = Moment['stories'][number]
export type Step = Story['steps'][number]
type What = Step['what']

const en = {
  title: 'What a lead would get',
  intro: 'By the settings on this screen, saved or not.',
  when: {
    now: 'Signs up now',
    evening: 'Signs up in the evening',
    friday: 'Signs up on Friday',
    clockChange: 'Signs up the day before the clocks change',
    own: 'Signs up when you choose',
  } satisfies Record<Moment['when'], string>,
  own: 'A moment of your own',
  ownHint: (zone: string) => `Date and time in ${zone}`,
  visitAfter: 'Suppose the first visit comes',
  visitAfterEnd: 'after the sign-up.',
  correct: 'Fix the highlighted fields to see the preview.',
  waiting: 'Working it out …',
  who: {
    lead: 'Signs up once',
    eager: 'Signs up again whenever that helps',
    visitor: 'Visits without giving an email',
  },
  open: (until: string, long: string) => `Open until ${until} (${long})`,
  openFrom: (from: string, until: string, long: string) => `Open from ${from} to ${until} (${long})`,
  openEndless: 'Open without end',
  openFromEndless: (from: string) => `Open from ${from}, without end`,
  never: 'Never open: it has ended already',
  steps: {
    registers: 'Signs up',
    visits: 'Visits the page',
    resets: 'Signs up again',
    retries: 'Signs up again for another chance',
    opens: 'The offer opens',
    ends: 'The offer ends',
    comesAgain: 'It opens again by itself',
  } satisfies Record<What, string>,
  pending: 'it waits for the first visit',
  scheduled: (opens: string) => `it opens on ${opens}`,
  until: (deadline: string) => `open until ${deadline}`,
  endless: 'open without end',
  expired: 'it is closed',
  unchanged: 'deadline unchanged',
  goesOn: 'And so on.',
  legend: 'Key to the bars',
  scale: (long: string) => `Each bar shows ${long}.`,
  states: { open: 'open', scheduled: 'not open yet', pending: 'waits for a visit', expired: 'closed' },
  comes: 'signs up or visits',
  also: 'Before you publish',
  toPages: 'To the offer pages',
  toTimer: 'To the mail timer',
}

type Words = typeof en

const pl: Words = {
  title: 'Co dostałby odbiorca',
  intro: 'Na podstawie bieżących ustawień, także niezapisanych.',
  when: {
    now: 'Zapisuje się teraz',
    evening: 'Zapisuje się wieczorem',
    friday: 'Zapisuje się w piątek',
    clockChange: 'Zapisuje się dzień przed zmianą czasu',
    own: 'Zapisuje się w wybranej chwili',
  },
  own: 'Wybrana chwila',
  ownHint: (zone: string) => `Data i godzina w strefie ${zone}`,
  visitAfter: 'Załóżmy, że pierwsza wizyta nastąpi',
  visitAfterEnd: 'po zapisie.',
  correct: 'Popraw zaznaczone pola, aby zobaczyć podgląd.',
  waiting: 'Obliczanie …',
  who: {
    lead: 'Zapisuje się raz',
    eager: 'Zapisuje się ponownie, gdy tylko to coś daje',
    visitor: 'Odwiedza stronę bez podania adresu e-mail',
  },
  open: (until: string, long: string) => `Otwarta do: ${until} (${long})`,
  openFrom: (from: string, until: string, long: string) => `Otwarta od: ${from} do: ${until} (${long})`,
  openEndless: 'Otwarta bez końca',
  openFromEndless: (from: string) => `Otwarta od: ${from}, bez końca`,
  never: 'Nigdy nie otwarta: już się skończyła',
  steps: {
    registers: 'Zapisuje się',
    visits: 'Odwiedza stronę',
    resets: 'Zapisuje się ponownie',
    retries: 'Zapisuje się ponownie i ma kolejną szansę',
    opens: 'Oferta się otwiera',
    ends: 'Oferta się kończy',
    comesAgain: 'Oferta sama wraca',
  },
  pending: 'czeka na pierwszą wizytę',
  scheduled: (opens: string) => `otworzy się ${opens}`,
  until: (deadline: string) => `otwarta do ${deadline}`,
  endless: 'otwarta bez końca',
  expired: 'jest zamknięta',
  unchanged: 'termin bez zmian',
  goesOn: 'I tak dalej.',
  legend: 'Objaśnienie pasków',
  scale: (long: string) => `Każdy pasek pokazuje: ${long}.`,
  states: {
    open: 'otwarta',
    scheduled: 'jeszcze nie otwarta',
    pending: 'czeka na wizytę',
    expired: 'zamknięta',
  },
  comes: 'zapis lub wizyta',
  also: 'Zanim opublikujesz',
  toPages: 'Do stron oferty',
  toTimer: 'Do licznika w e-mailu',
}

export const words = inBoth<Words>({ en, pl })

/** How long so many seconds are, in the two largest units. */
export function spanInWords(language: Language, seconds: number): string {
  const minutes = Math.round(seconds / 60)
  const [days, hours] = [Math.floor(minutes / 1_440), Math.floor(minutes / 60) % 24]
  const span = { days, hours, minutes: days > 0 ? 0 : minutes % 60 }
  const minutesDisplay = minutes === 0 ? 'always' : 'auto'
  return new Intl.DurationFormat(locales[language], { style: 'long', minutesDisplay }).format(span)
}
