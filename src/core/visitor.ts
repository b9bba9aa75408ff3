/**
 * The name under which a visitor without an email is kept among a campaign's leads. It sorts before every email and
 * cannot be one: no email starts with a space.
 */
export function visitorName(clientId: string): string {
  return ` ${clientId}`
}

/** Every email comes after this in the order of bytes, and every visitor before. */
export const beforeEmails = ' ~'

/** Whether this is such a name, kept in place of an email. */
export function isVisitorName(name: string): boolean {
  return name.startsWith(' ')
}
