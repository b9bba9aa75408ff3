import { inBoth } from '../../../language.ts'

export const salesWords = inBoth({
  en: {
    sales: 'Sales',
    salesNote: 'Orders that your shop has reported to Lastcall, and how long before the end they came.',
    none: 'No orders in these days.',
    orders: 'Orders',
    closed: (n: string) => `${n} ended the offer`,
    revenue: 'Revenue',
    converted: 'People who bought',
    share: (percent: string) => `${percent} of those who signed up`,
    reversed: 'Reversed',
    isReversed: 'reversed',
    left: 'Time left',
    timesLeft: {
      over7d: 'Over 7 days',
      to7d: '3 to 7 days',
      to3d: '1 to 3 days',
      to24h: '12 to 24 hours',
      to12h: '6 to 12 hours',
      to6h: '1 to 6 hours',
      to1h: 'Under 1 hour',
      late: 'After the end',
      none: 'No deadline',
    },
    newest: 'The newest 20 orders',
    newestNote: 'Whatever days are chosen above. All orders of a lead are on the lead’s page, under Leads.',
    at: 'Bought',
    order: 'Order',
    buyer: 'Email',
    amount: 'Amount',
    erased: 'erased',
    reverse: 'Reverse',
    reverseTitle: (order: string) => `Reverse order ${order}?`,
    reverseText: 'As after a refund: the order no longer counts. This cannot be undone.',
    reopen: 'Reopen the offer that this order ended',
    csv: 'Download sales as CSV',
    noOrders: 'No orders.',
    beforeEnd: (time: string) => `${time} before the end`,
    afterEnd: (time: string) => `${time} after the end`,
    orderId: 'Number of the order',
    currency: 'Currency, such as EUR',
    tell: 'Record a purchase',
    told: 'Recorded.',
    known: 'This order was recorded before.',
    ofOther: (email: string | null) =>
      email === null
        ? 'This number belongs to an order of a lead who was erased.'
        : `This number belongs to an order of another lead: ${email}.`,
    wrong: {
      orderId: 'Give the number without spaces.',
      amount: 'Give an amount such as 49.00, with no more decimals than its currency has.',
      currency: 'Give the amount’s currency by its three letters, such as EUR.',
    },
  },
  pl: {
    sales: 'Sprzedaż',
    salesNote: 'Zamówienia zgłoszone przez Twój sklep i ile czasu przed końcem je złożono.',
    none: 'W tych dniach nie było zamówień.',
    orders: 'Zamówienia',
    closed: (n: string) => `zakończyły ofertę: ${n}`,
    revenue: 'Przychód',
    converted: 'Osoby, które kupiły',
    share: (percent: string) => `${percent} zapisanych`,
    reversed: 'Wycofane',
    isReversed: 'wycofane',
    left: 'Pozostały czas',
    timesLeft: {
      over7d: 'Ponad 7 dni',
      to7d: 'Od 3 do 7 dni',
      to3d: 'Od 1 do 3 dni',
      to24h: 'Od 12 do 24 godzin',
      to12h: 'Od 6 do 12 godzin',
      to6h: 'Od 1 do 6 godzin',
      to1h: 'Mniej niż godzina',
      late: 'Po końcu',
      none: 'Bez terminu',
    },
    newest: 'Najnowsze 20 zamówień',
    newestNote:
      'Niezależnie od dni wybranych powyżej. Wszystkie zamówienia odbiorcy są na jego stronie, na karcie Odbiorcy.',
    at: 'Kupiono',
    order: 'Zamówienie',
    buyer: 'E-mail',
    amount: 'Kwota',
    erased: 'usunięto',
    reverse: 'Wycofaj',
    reverseTitle: (order: string) => `Wycofać zamówienie ${order}?`,
    reverseText: 'Jak po zwrocie pieniędzy: zamówienie przestaje się liczyć. Tego nie można cofnąć.',
    reopen: 'Oddaj kupującemu ofertę, którą zakończyło to zamówienie',
    csv: 'Pobierz sprzedaż jako CSV',
    noOrders: 'Brak zamówień.',
    beforeEnd: (time: string) => `${time} przed końcem`,
    afterEnd: (time: string) => `${time} po końcu`,
    orderId: 'Numer zamówienia',
    currency: 'Waluta, np. PLN',
    tell: 'Zapisz zakup',
    told: 'Zapisano.',
    known: 'To zamówienie zapisano już wcześniej.',
    ofOther: (email: string | null) =>
      email === null
        ? 'Ten numer ma zamówienie usuniętego odbiorcy.'
        : `Ten numer ma zamówienie innego odbiorcy: ${email}.`,
    wrong: {
      orderId: 'Podaj numer bez spacji.',
      amount: 'Podaj kwotę, na przykład 49,00. Nie może mieć więcej miejsc po przecinku niż jej waluta.',
      currency: 'Podaj trzyliterowy kod waluty tej kwoty, na przykład PLN.',
    },
  },
})

/** `2 hr, 5 min, 41 sec`. */
export function timeLeftText(seconds: number, language: string): string {
  return new Intl.DurationFormat(language, {
    style: 'short',
    secondsDisplay: seconds === 0 ? 'always' : 'auto',
  }).format({
    days: Math.trunc(seconds / 86_400),
    hours: Math.trunc((seconds % 86_400) / 3_600),
    minutes: Math.trunc((seconds % 3_600) / 60),
    seconds: seconds % 60,
  })
}

/**
 * An amount as the API takes it, of what people write: spaces around and between thousands, a comma for the point. Before
 * three digits a comma may stand for thousands, also where a currency has three places: that is left to the service.
 */
export const plainAmount = (written: string) => written.replaceAll(/\s/g, '').replace(/,(?=\d{0,2}$)/, '.')
