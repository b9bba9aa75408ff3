import type { AnswerOf } from '../../../api.ts'
import { inBoth } from '../../../language.ts'

export type PreviewAnswer = AnswerOf<'POST /preview'>
export type LintFinding = NonNullable<PreviewAnswer['findings']>[number]
type Words = Record<LintFinding['code'], (at: string) => string>

export const lintWords = inBoth<Words>({
  en: {
    DRAFT: () =>
      'The campaign is a draft: until you publish it, nobody can sign up, and your page shows the offer to everybody, unless you have hidden it there.',
    FIXED_DATE_OVER: () =>
      'This date has passed: the offer is over for everyone, and people who sign up find it closed.',
    END_OVER: () => 'The campaign has ended: people who sign up now find the offer closed.',
    END_BEFORE_OPENING: (at) =>
      `Nobody who signs up now sees the offer open: it would open on ${at}, after the campaign has ended.`,
    END_CUTS_FIRST: (at) =>
      `The campaign ends before the time of those who sign up now is up: without that end they would have until ${at}.`,
    NO_DEADLINE: () => 'There is no deadline: neither page nor mail counts down.',
    SHORT_FOR_AN_EMAIL: () =>
      'This is less than an hour. Many people open an email later than that, and will find the offer closed.',
    MAY_BE_SHORT: () =>
      'Somebody who starts shortly before the end may have only minutes. Set a least time, or more days.',
    SKIPS_LEAVE_FEW: () => 'At most two weekdays are left, and only they are counted: a few days may become weeks.',
    SKIPPED_DATES_OVER: () => 'All of these dates have passed. Add those of the coming year, if you want any.',
    TIME_SKIPPED: (at) => `When the clocks go forward this time does not exist: it then means ${at}.`,
    RESET_SLIDES: () =>
      'People who sign up again get the full time again, as often as they like: your deadline is not a real one. Allow it once or twice at most.',
    RESET_CHANGES_NOTHING: () =>
      'The end is a calendar date: signing up again leads to the same one and changes nothing.',
    RESET_MAY_CLOSE: () =>
      'Who signs up again shortly before the end may lose the open offer until the next opening, because of the least time.',
    RETRY_AT_ONCE: () =>
      'Another chance comes less than a day after the “last” one. People who see that will not believe your deadlines again. Wait for weeks.',
    RETRY_NEVER: (at) => `The campaign ends first: those who sign up now could try again on ${at} at the earliest.`,
    CYCLE_HARDLY_PAUSES: () =>
      'The offer is back almost at once after each end: it is practically always open, and its deadline is not a real one. Make the pause much longer.',
    CYCLE_FOREVER: () => 'The offer comes back without end. Set how often, or when the campaign ends.',
    CYCLE_NEVER: (at) => `The campaign ends first: for those who sign up now it would open again on ${at}.`,
    REDIRECT_TO_OFFER: () =>
      'This is an offer page of the campaign: people who come too late are sent to the page that they are on. Choose another one.',
    VISIT_WITHOUT_PAGE: () =>
      'The offer waits for a first visit, but no link leads to an offer page: add one under “Offer pages”, or leads may never get it.',
    NO_PAGE: () => 'No offer page gets links: leads receive neither a link nor a countdown to use in mails.',
    TIMER_WITHOUT_PAGE: () => 'Mails show a countdown, but no offer page gets links: there is nothing to click.',
    TIMER_WITHOUT_DEADLINE: () => 'There is a mail timer but no deadline: mails show an empty picture.',
    TIMER_DIGITS_FAINT: () =>
      'The digits hardly stand out from what is behind them. Choose a darker or lighter colour.',
    TIMER_LABELS_FAINT: () =>
      'The labels hardly stand out from what is behind them. Choose a darker or lighter colour.',
    TIMER_BOXES_FAINT: () => 'The lines hardly stand out from the background. Choose a darker or lighter colour.',
    TIMER_DIGITS_SMALL: () =>
      'On a telephone the digits are too small to read. Make them larger, the timer higher or less wide, or the gap smaller.',
    TIMER_LABELS_SMALL: () =>
      'On a telephone the labels are too small to read. Make them larger or shorter, the timer higher or less wide, or hide them.',
    TIMER_PILLARS: () => 'The boxes are tall and narrow. Make the timer wider or less high.',
  },
  pl: {
    DRAFT: () =>
      'Kampania jest wersją roboczą: dopóki jej nie opublikujesz, nikt się nie zapisze, a strona pokazuje ofertę wszystkim, o ile nie jest na niej ukryta.',
    FIXED_DATE_OVER: () =>
      'Ta data już minęła: oferta skończyła się dla wszystkich, a kto się zapisze, zastanie ją zamkniętą.',
    END_OVER: () => 'Kampania już się skończyła: kto się teraz zapisze, zastanie ofertę zamkniętą.',
    END_BEFORE_OPENING: (at) =>
      `Kto się teraz zapisze, nie zobaczy otwartej oferty: otworzyłaby się ${at}, już po końcu kampanii.`,
    END_CUTS_FIRST: (at) =>
      `Kampania kończy się, zanim minie czas tych, którzy się teraz zapiszą: bez tego mieliby czas do ${at}.`,
    NO_DEADLINE: () => 'Nie ma terminu: ani strona, ani e-mail niczego nie odlicza.',
    SHORT_FOR_AN_EMAIL: () => 'To mniej niż godzina. Wiele osób otwiera e-maile później i zastanie ofertę zamkniętą.',
    MAY_BE_SHORT: () =>
      'Kto zacznie krótko przed końcem, może mieć tylko kilka minut. Ustaw najkrótszy czas dla każdego albo więcej dni.',
    SKIPS_LEAVE_FEW: () =>
      'Zostają najwyżej dwa dni tygodnia i tylko one się liczą: z kilku dni mogą się zrobić tygodnie.',
    SKIPPED_DATES_OVER: () => 'Wszystkie te daty już minęły. Jeśli trzeba, dodaj daty z nadchodzącego roku.',
    TIME_SKIPPED: (at) => `Przy przejściu na czas letni ta godzina nie istnieje: oznacza wtedy ${at}.`,
    RESET_SLIDES: () =>
      'Kto zapisze się ponownie, dostaje cały czas jeszcze raz, i tak bez końca: ogłaszany termin żadnym terminem nie jest. Pozwól na to najwyżej raz lub dwa razy.',
    RESET_CHANGES_NOTHING: () =>
      'Koniec wypada w dniu z kalendarza: ponowny zapis prowadzi do tego samego terminu i niczego nie zmienia.',
    RESET_MAY_CLOSE: () =>
      'Kto zapisze się ponownie krótko przed końcem, może stracić otwartą ofertę aż do następnego otwarcia: wymaga tego najkrótszy czas.',
    RETRY_AT_ONCE: () =>
      'Kolejna szansa przychodzi niecały dzień po „ostatniej”. Kto to zobaczy, nie uwierzy już w żaden Twój termin. Odczekaj kilka tygodni.',
    RETRY_NEVER: (at) =>
      `Kampania skończy się wcześniej: ci, którzy się teraz zapiszą, mogliby spróbować ponownie najwcześniej ${at}.`,
    CYCLE_HARDLY_PAUSES: () =>
      'Oferta wraca prawie natychmiast po każdym końcu: jest właściwie stale otwarta, a jej termin żadnym terminem nie jest. Ustaw znacznie dłuższą przerwę.',
    CYCLE_FOREVER: () => 'Oferta wraca bez końca. Ustaw, ile razy, albo kiedy kampania się kończy.',
    CYCLE_NEVER: (at) =>
      `Kampania skończy się wcześniej: dla tych, którzy się teraz zapiszą, otworzyłaby się ponownie ${at}.`,
    REDIRECT_TO_OFFER: () =>
      'To jest strona oferty tej kampanii: kto się spóźni, trafi na tę samą stronę, na której już jest. Wybierz inną.',
    VISIT_WITHOUT_PAGE: () =>
      'Oferta czeka na pierwszą wizytę, ale żaden link nie prowadzi na stronę oferty: dodaj ją w części „Strony oferty”, bo inaczej odbiorcy mogą czekać bez końca.',
    NO_PAGE: () =>
      'Żadna strona oferty nie dostaje linków: odbiorcy nie otrzymują ani linku, ani odliczania do e-maili.',
    TIMER_WITHOUT_PAGE: () =>
      'E-maile pokazują odliczanie, ale żadna strona oferty nie dostaje linków: nie ma w co kliknąć.',
    TIMER_WITHOUT_DEADLINE: () => 'Jest licznik w e-mailu, ale nie ma terminu: e-maile pokazują pusty obrazek.',
    TIMER_DIGITS_FAINT: () =>
      'Cyfry słabo odróżniają się od tego, co za nimi. Wybierz ciemniejszy lub jaśniejszy kolor.',
    TIMER_LABELS_FAINT: () =>
      'Podpisy słabo odróżniają się od tego, co za nimi. Wybierz ciemniejszy lub jaśniejszy kolor.',
    TIMER_BOXES_FAINT: () => 'Linie słabo odróżniają się od tła. Wybierz ciemniejszy lub jaśniejszy kolor.',
    TIMER_DIGITS_SMALL: () =>
      'Na telefonie cyfry są za małe, by je odczytać. Powiększ je, zwiększ wysokość, zmniejsz szerokość albo odstęp.',
    TIMER_LABELS_SMALL: () =>
      'Na telefonie podpisy są za małe, by je odczytać. Powiększ je lub skróć, zwiększ wysokość, zmniejsz szerokość albo je ukryj.',
    TIMER_PILLARS: () => 'Kafelki są wysokie i wąskie. Zwiększ szerokość albo zmniejsz wysokość.',
  },
})

export const unfairWords = inBoth({
  en: {
    title: 'False urgency',
    law: 'Claiming a very limited time where there is none is an unfair practice in the European Union, forbidden in all circumstances (Directive 2005/29/EC, Annex I, no. 7).',
  },
  pl: {
    title: 'Fałszywa presja czasu',
    law: 'Twierdzenie, że czas jest bardzo ograniczony, gdy tak nie jest, to w Unii Europejskiej nieuczciwa praktyka, zakazana w każdych okolicznościach (dyrektywa 2005/29/WE, załącznik I, pkt 7).',
  },
})
