/**
 * Puts `lc` into the query of an address, in place of any that is there, and changes nothing else
 * (contract, "What opening does"). The ref goes between the two parts.
 */
export function aroundLc(address: string): [before: string, after: string] {
  const hashAt = address.indexOf('#')
  const fragment = hashAt === -1 ? '' : address.slice(hashAt)
  const whole = hashAt === -1 ? address : address.slice(0, hashAt)
  const queryAt = whole.indexOf('?')
  const path = queryAt === -1 ? whole : whole.slice(0, queryAt)
  const query = queryAt === -1 ? '' : whole.slice(queryAt + 1)
  const kept = query === '' ? [] : query.split('&').filter((part) => !isLc(part))
  return [`${path}?${kept.map((part) => `${part}&`).join('')}lc=`, fragment]
}

/** However it is written: `lc`, `%6cc`. */
function isLc(part: string): boolean {
  // A question mark at the start would be taken for that of an address.
  return new URLSearchParams(`&${part}`).has('lc')
}
