// Mail services: how they write the fields of a contact in a mail. docs/email.md has the same, with their pages.

/** The fields that a mail needs. Mailchimp's names have at most ten characters. */
export const mailFields = ['LC_LINK', 'LC_TIMER', 'LC_END'] as const
export type MailField = (typeof mailFields)[number]

/** With `isLower` a service makes small letters of a field's name. */
type Service = { name: string; isLower?: true; tag(field: string): string }

export const mailServices = {
  other: { name: '', tag: (field) => field },
  mailchimp: { name: 'Mailchimp', tag: (field) => `*|${field}|*` },
  brevo: { name: 'Brevo', tag: (field) => `{{ contact.${field} }}` },
  klaviyo: { name: 'Klaviyo', tag: (field) => `{{ person|lookup:'${field}' }}` },
  activecampaign: { name: 'ActiveCampaign', tag: (field) => `%${field}%` },
  mailerlite: { name: 'MailerLite', isLower: true, tag: (field) => `{$${field}}` },
  getresponse: { name: 'GetResponse', isLower: true, tag: (field) => `[[${field}]]` },
  hubspot: { name: 'HubSpot', isLower: true, tag: (field) => `{{ contact.${field} }}` },
  kit: { name: 'Kit', isLower: true, tag: (field) => `{{ subscriber.${field} }}` },
  customerio: { name: 'Customer.io', tag: (field) => `{{customer.${field}}}` },
  drip: { name: 'Drip', isLower: true, tag: (field) => `{{ subscriber.${field} }}` },
  ontraport: { name: 'Ontraport', tag: (field) => `[${field}]` },
  sendpulse: { name: 'SendPulse', tag: (field) => `{{${field}}}` },
  salesmanago: { name: 'SALESmanago', tag: (field) => `$cst.${field}$` },
} as const satisfies Record<string, Service>

export type MailService = keyof typeof mailServices
export const mailServiceNames = Object.keys(mailServices) as MailService[]

/** A field as the service calls it: the heading of its column in an export, and what its tag names. */
export function fieldName(service: MailService, field: string): string {
  const { isLower }: Service = mailServices[service]
  return isLower ? field.toLowerCase() : field
}

/** What stands in the mail for the contact's own; without a known service the name alone, to be replaced by hand. */
export function mergeTag(service: MailService, field: string): string {
  return mailServices[service].tag(fieldName(service, field))
}

/** `LC_LINK` for the first page that mails link to, `LC_LINK2` for the second. */
export function linkField(index: number): string {
  return index === 0 ? 'LC_LINK' : `LC_LINK${index + 1}`
}
