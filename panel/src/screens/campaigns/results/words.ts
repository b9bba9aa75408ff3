import { inBoth } from '../../../language.ts'

export const words = inBoth({
  en: {
    range: 'Days shown',
    spans: { 7: '7 days', 30: '30 days', 90: '90 days', 365: '1 year' },
    csv: 'Download CSV',
    zone: (zone: string) => `Days of the campaign’s time zone, ${zone}.`,
    people: 'People',
    peopleNote: 'Everyone who signed up in these days, and how far they have come by now.',
    steps: { signedUp: 'Signed up', started: 'Offer started', clicked: 'Clicked a link' },
    ofAll: (percent: string) => `${percent} of those who signed up`,
    startsSince: (day: string) =>
      `“Offer started” is counted since ${day}. Of the people who signed up before, some are missing there.`,
    peopleChart: 'People by the day they signed up',
    nobody: 'Nobody signed up in these days.',
    happened: 'What happened in these days',
    happenedNote:
      'Counted on the day it happened, however often one person did it. Mail proxies and link scanners are left out. Opens say little: Apple Mail loads every picture.',
    kinds: { click: 'Clicks', visit: 'Visits', open: 'Opens of the countdown' },
    happenedChart: 'Clicks, visits and opens by day',
    nothing: 'No clicks, visits or opens in these days.',
    pages: 'By page',
    page: 'Offer page',
    otherPages: 'Other pages',
    noPages: 'The campaign has no offer pages yet.',
  },
  pl: {
    range: 'Pokazywane dni',
    spans: { 7: '7 dni', 30: '30 dni', 90: '90 dni', 365: 'Rok' },
    csv: 'Pobierz CSV',
    zone: (zone: string) => `Dni w strefie czasowej kampanii: ${zone}.`,
    people: 'Osoby',
    peopleNote: 'Wszyscy, którzy zapisali się w tych dniach, i jak daleko doszli do tej pory.',
    steps: { signedUp: 'Zapisy', started: 'Oferta wystartowała', clicked: 'Kliknięcie linku' },
    ofAll: (percent: string) => `${percent} zapisanych`,
    startsSince: (day: string) =>
      `„Oferta wystartowała” liczymy od ${day}. Części osób, które zapisały się wcześniej, tam brakuje.`,
    peopleChart: 'Osoby według dnia zapisu',
    nobody: 'W tych dniach nikt się nie zapisał.',
    happened: 'Co się działo w tych dniach',
    happenedNote:
      'Liczone w dniu zdarzenia, także gdy jedna osoba robi coś wiele razy. Bez pośredników pocztowych i skanerów linków. Otwarcia mówią niewiele: Apple Mail pobiera każdy obraz.',
    kinds: { click: 'Kliknięcia', visit: 'Wizyty', open: 'Otwarcia licznika' },
    happenedChart: 'Kliknięcia, wizyty i otwarcia według dni',
    nothing: 'W tych dniach nie było kliknięć, wizyt ani otwarć.',
    pages: 'Według stron',
    page: 'Strona oferty',
    otherPages: 'Inne strony',
    noPages: 'Kampania nie ma jeszcze stron oferty.',
  },
})
