// Amounts of money: whole numbers of a currency's smallest unit, written as decimals with its places.

/** Digits of an amount in the smallest unit: JavaScript and both engines keep such whole numbers exactly. */
const mostDigits = 15

/** Currencies that `Intl` leaves out: one of Venezuela, and units of account such as Chile's. */
const others = ['VED', 'BOV', 'CHE', 'CHW', 'CLF', 'COU', 'MXV', 'USN', 'UYI', 'UYW']
const currencies = new Set([...Intl.supportedValuesOf('currency'), ...others])

/**
 * Currencies whose minor units in ISO 4217 are not two. `Intl` says how many are in use, which is fewer for some and
 * may change; stored amounts must not.
 */
const unusualPlaces: readonly [places: number, currencies: string][] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
]
const unusual = new Map(unusualPlaces.flatMap(([places, names]) => names.split(' ').map((name) => [name, places])))

/** How many places a currency of ISO 4217 has, such as 2 for `EUR`; undefined where it is none. */
export function placesOf(currency: string): number | undefined {
  return currencies.has(currency) ? (unusual.get(currency) ?? 2) : undefined
}

/** `49.00` as 4900 where there are two places; undefined for what is no decimal, or has more places or digits. */
export function parseAmount(text: string, places: number): number | undefined {
  const [, whole = '', fraction = ''] = /^(0|[1-9]\d*)(?:\.(\d+))?$/.exec(text) ?? []
  const digits = whole + fraction.padEnd(places, '0')
  if (whole === '' || fraction.length > places || digits.length > mostDigits) return undefined
  return Number(digits)
}

/** 4900 of `EUR` as `49.00`. */
export function formatAmount(amount: number | bigint, currency: string): string {
  // A currency that a newer `Intl` leaves out may be stored already.
  const places = unusual.get(currency) ?? 2
  if (places === 0) return String(amount)
  const digits = String(amount).padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`
}
