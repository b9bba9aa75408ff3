// A Mailbox of RFC 5321, section 4.1.2, production by production, and independent of the implementation.

const atext = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]"
const dotString = `${atext}+(?:\\.${atext}+)*`
const qtext = '[\\x20-\\x21\\x23-\\x5B\\x5D-\\x7E]'
const quotedPair = '\\\\[\\x20-\\x7E]'
const quotedString = `"(?:${qtext}|${quotedPair})*"`
const letDig = '[A-Za-z0-9]'
const subDomain = `${letDig}(?:[A-Za-z0-9-]*${letDig})?`
const domain = `${subDomain}(?:\\.${subDomain})*`
const snum = '(?:25[0-5]|2[0-4]\\d|[01]?\\d?\\d)'
const ipv4 = `${snum}(?:\\.${snum}){3}`
const general = `[A-Za-z0-9-]*${letDig}:[\\x21-\\x5A\\x5E-\\x7E]+`
const mailbox = new RegExp(`^(?:${dotString}|${quotedString})@(?:${domain}|\\[(?:${ipv4}|${general})\\])$`)

/**
 * The grammar takes a malformed IPv6 literal for a general one (`[IPv6:x]`), so this does as well: the
 * tests leave such addresses out, as the documents do not decide between the two readings.
 */
export const isMailbox = (text: string): boolean => text.length <= 254 && mailbox.test(text)
