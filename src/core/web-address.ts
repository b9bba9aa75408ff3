export const mostAddressCharacters = 2_048

const anything = "(?:[\\w.~:/?@!$&'()*+,;=-]|%[\\da-f]{2})*"
const host = "(?:\\[[\\da-f:.]+\\]|[\\w.~!$&'()*+,;=-]+)"
const uri = new RegExp(`^https?://${host}(?::\\d*)?(?:[/?]${anything})?(?:#${anything})?$`, 'i')

const upToPath = new RegExp(`^https?://${host}(?::\\d*)?(?=[/?#])`, 'i')

/** Without the two joiners, which some scripts are written with. */
const invisible = /[\p{Z}\p{Cc}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/u
const beyondAscii = /[^\0-\x7f]/g

/**
 * The address as it is to be kept: ASCII as it was written, anything else as browsers send it (`żółw.pl` in
 * Punycode, paths and queries percent-encoded). Undefined for what is no address of the web.
 *
 * Stricter than the URL parser, which corrects what another parser may read as another host: characters of
 * RFC 3986 only, so that an address is the same URI for every program that gets it.
 */
export function webAddress(written: string): string | undefined {
  if (written.length > mostAddressCharacters || invisible.test(written)) return undefined
  const isAscii = !written.match(beyondAscii)
  if (!uri.test(isAscii ? written : written.replace(beyondAscii, 'x'))) return undefined
  const parsed = URL.parse(written)
  if (parsed === null) return undefined
  return isAscii ? written : webAddress(parsed.href)
}

/** The code of the first character that nobody sees: `200B`. It was pasted with the address, and is not meant. */
export function unseenIn(written: string): string | undefined {
  const unseen = [...written].find((one) => one !== ' ' && invisible.test(one))
  return unseen?.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
}

/**
 * The first character after the host that must be percent-encoded, since programs read it differently: a space, `[`,
 * `|`, a second `#`, or a `%` that does not begin an escape. Undefined if something else is wrong.
 */
export function unencodedIn(written: string): string | undefined {
  const [before] = upToPath.exec(written.replace(beyondAscii, 'x')) ?? []
  if (before === undefined) return undefined
  return /%(?![\da-f]{2})|(?<=#.*)#|[ "<>\\^`{|}[\]]/iu.exec(written.slice(before.length))?.[0]
}
