/**
 * The first text, in the order of bytes and not before `atLeast`, that differs from `email` in the case of letters
 * only, or is `email` itself; undefined where none is left. For ASCII, where capitals stand before small letters.
 */
export function nextSpelling(email: string, atLeast: string): string | undefined {
  const [capitals, small] = [email.toUpperCase(), email.toLowerCase()]
  let next: string | undefined
  for (let at = 0; at < email.length; at += 1) {
    // Up to here the spelling equals the beginning of `atLeast`.
    const begin = atLeast.slice(0, at)
    const [wanted = '', low = '', high = ''] = [atLeast[at], capitals[at], small[at]]
    if (low > wanted) return begin + capitals.slice(at)
    if (high > wanted) next = begin + high + capitals.slice(at + 1)
    if (wanted !== low && wanted !== high) return next
  }
  return atLeast.length > email.length ? next : atLeast
}
