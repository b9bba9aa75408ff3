import { inBoth } from '../../../language.ts'

export const salesWords = inBoth({
  en: {
    sales: 'Sales',
    salesNote: 'Orders that your shop has told Lastcall of, and how long before the end they came.',
    none: 'No orders in these days.',
    orders: 'Orders',
    closed: (n: number) => `${n} ended the offer`,
    revenue: 'Revenue',
    converted: 'People who bought',
    share: (percent: string) => `${percent} of those who signed up`,
    reversed: 'Reversed',
    left: 'Time left',
    timesLeft: {
      over7d: 'Over 7 days',
      to7d: '3 to 7 days',
      to3d: '1 to 3 days',
      to24h: '12 to 24 hours',
      to12h: '6 to 12 hours',
      to6h: '1 to 6 hours',
      to1h: 'Under 1 hour',
      late: 'In the grace or later',
      none: 'No deadline',
    },
    newest: 'The newest orders',
    at: 'Bought',
    order: 'Order',
    buyer: 'Email',
    amount: 'Amount',
    erased: 'erased',
    csv: 'Download sales as CSV',
    noOrders: 'No orders.',
    orderId: 'Number of the order',
    currency: 'Currency, such as EUR',
    tell: 'Record a purchase',
    told: 'Recorded.',
    known: 'This order was recorded before.',
    wrong: 'Give the order’s number without spaces, and an amount such as 49.00 together with its currency.',
  },
  pl: {
    sales: 'Sprzedaż',
    salesNote: 'Zamówienia zgłoszone przez Twój sklep i ile czasu przed końcem je złożono.',
    none: 'W tych dniach nie było zamówień.',
    orders: 'Zamówienia',
    closed: (n: number) => `zakończyły ofertę: ${n}`,
    revenue: 'Przychód',
    converted: 'Osoby, które kupiły',
    share: (percent: string) => `${percent} zapisanych`,
    reversed: 'Cofnięte',
    left: 'Pozostały czas',
    timesLeft: {
      over7d: 'Ponad 7 dni',
      to7d: 'Od 3 do 7 dni',
      to3d: 'Od 1 do 3 dni',
      to24h: 'Od 12 do 24 godzin',
      to12h: 'Od 6 do 12 godzin',
      to6h: 'Od 1 do 6 godzin',
      to1h: 'Mniej niż godzina',
      late: 'W czasie łaski lub później',
      none: 'Bez terminu',
    },
    newest: 'Najnowsze zamówienia',
    at: 'Kupiono',
    order: 'Zamówienie',
    buyer: 'E-mail',
    amount: 'Kwota',
    erased: 'usunięto',
    csv: 'Pobierz sprzedaż jako CSV',
    noOrders: 'Brak zamówień.',
    orderId: 'Numer zamówienia',
    currency: 'Waluta, np. PLN',
    tell: 'Zapisz zakup',
    told: 'Zapisano.',
    known: 'To zamówienie zapisano już wcześniej.',
    wrong: 'Podaj numer zamówienia bez spacji, a kwotę, na przykład 49.00, razem z walutą.',
  },
})

/** `41 s`, `2 h 5 min 0 s`; with a minus behind the deadline. */
export function timeLeftText(seconds: number, language: string): string {
  const units = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
  ] as const
  let rest = Math.abs(seconds)
  const parts = units.flatMap(([unit, length]) => {
    const count = Math.floor(rest / length)
    rest -= count * length
    const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' })
    return count > 0 || unit === 'second' ? [format.format(count)] : []
  })
  return `${seconds < 0 ? '−' : ''}${parts.join(' ')}`
}
