// The Mailbox of RFC 5321, section 4.1.2, in ASCII: what JSON Schema's `format: email` means.
const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const dotString = `${atom}(?:\\.${atom})*`
// qtextSMTP is printable ASCII but " and \; quoted-pairSMTP is a backslash and any printable character.
const quotedString = '"(?:[ !#-\\[\\]-~]|\\\\[ -~])*"'
const subDomain = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?'
const domain = `${subDomain}(?:\\.${subDomain})*`
// dcontent is printable ASCII but [ \ ]
const mailbox = new RegExp(`^(?:${dotString}|${quotedString})@(?:${domain}|\\[([!-Z^-~]+)\\])$`)

const generalLiteral = /^(?:[A-Za-z0-9-]*[A-Za-z0-9]):[!-Z^-~]+$/
const ipv6Tag = /^IPv6:/i

/** The longest email that is accepted, in characters (specification, 2.3). */
export const emailMaxLength = 254
export const emailWanted = `an email address in ASCII of at most ${emailMaxLength} characters, without blanks around it`

/** True for a Mailbox of RFC 5321 in ASCII, whatever its length. */
export function isEmail(text: string): boolean {
  const match = mailbox.exec(text)
  if (match === null) return false
  const literal = match[1]
  return literal === undefined || isAddressLiteral(literal)
}

/** Why a list of emails cannot have this one. */
export type EmailFault = 'missing' | 'tooLong' | 'padded' | 'notAnEmail'

/** Why an email of a list is refused; undefined if it is accepted. */
export function emailFault(email: string | undefined): EmailFault | undefined {
  if (email === undefined || email === '') return 'missing'
  if (email.length > emailMaxLength) return 'tooLong'
  if (isEmail(email)) return undefined
  // Spreadsheets leave blanks there, which nobody sees.
  return isEmail(email.trim()) ? 'padded' : 'notAnEmail'
}

/** RFC 5321, section 4.1.3: an IPv4 address, `IPv6:` and an address, or a tag and its content. */
function isAddressLiteral(literal: string): boolean {
  if (ipv6Tag.test(literal)) return isIpv6(literal.slice(5))
  return isIpv4(literal) || generalLiteral.test(literal)
}

function isIpv4(text: string): boolean {
  const numbers = text.split('.')
  return numbers.length === 4 && numbers.every((n) => /^[0-9]{1,3}$/.test(n) && Number(n) <= 255)
}

function isIpv6(text: string): boolean {
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  let size = groups.length
  const last = groups.at(-1)
  if (last?.includes('.')) {
    // IPv6v4: the last 32 bits may be written as an IPv4 address, but not before the `::`
    if (!isIpv4(last) || text.endsWith('::')) return false
    groups.pop()
    size += 1
  }
  if (!groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return false
  // `::` stands for at least two groups (RFC 5321: "no more than 6 groups in addition to the ::")
  return halves.length === 2 ? size <= 6 : size === 8
}
