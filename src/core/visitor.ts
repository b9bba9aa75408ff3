/** What a browser calls itself: 128 random bits in hexadecimal, as refs are. */
export function isClientId(text: unknown): text is string {
  return typeof text === 'string' && /^[0-9a-f]{32}$/.test(text)
}

/**
 * Under what name a visitor without an email is kept among the leads of a campaign. It stands before every email
 * and can be none: no email has a space at its start.
 */
export function visitorName(clientId: string): string {
  return ` ${clientId}`
}

/** Every email comes after this in the order of bytes, and every visitor before. */
export const beforeEmails = ' ~'

/** Whether this is kept in place of an email. */
export function isVisitorName(name: string): boolean {
  return name.startsWith(' ')
}
