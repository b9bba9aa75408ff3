// Mail services: how they write the fields of a contact in a mail. docs/email.md has the same, with their pages.

/** `field` spells a field's name as the service does, where it takes no capitals or no underscores. */
type Service = { name: string; field?(name: string): string; tag(field: string): string }

const inSmallLetters = (field: string) => field.toLowerCase()
const withoutUnderscore = (field: string) => field.replace('_', '')

export const mailServices = {
  other: { name: '', tag: (field) => field },
  mailchimp: { name: 'Mailchimp', tag: (field) => `*|${field}|*` },
  brevo: { name: 'Brevo', tag: (field) => `{{ contact.${field} }}` },
  klaviyo: { name: 'Klaviyo', tag: (field) => `{{ person|lookup:'${field}' }}` },
  activecampaign: { name: 'ActiveCampaign', tag: (field) => `%${field}%` },
  mailerlite: { name: 'MailerLite', field: inSmallLetters, tag: (field) => `{$${field}}` },
  getresponse: { name: 'GetResponse', field: inSmallLetters, tag: (field) => `[[${field}]]` },
  hubspot: { name: 'HubSpot', field: inSmallLetters, tag: (field) => `{{ contact.${field} }}` },
  kit: { name: 'Kit', field: inSmallLetters, tag: (field) => `{{ subscriber.${field} }}` },
  customerio: { name: 'Customer.io', tag: (field) => `{{customer.${field}}}` },
  drip: { name: 'Drip', field: inSmallLetters, tag: (field) => `{{ subscriber.${field} }}` },
  ontraport: { name: 'Ontraport', tag: (field) => `[${field}]` },
  sendpulse: { name: 'SendPulse', tag: (field) => `{{${field}}}` },
  salesmanago: { name: 'SALESmanago', tag: (field) => `$cst.${field}$` },
  aweber: { name: 'AWeber', tag: (field) => `{!custom ${field}}` },
  constantcontact: { name: 'Constant Contact', tag: (field) => `[[CUSTOM.${field}]]` },
  campaignmonitor: { name: 'Campaign Monitor', field: withoutUnderscore, tag: (field) => `[${field},fallback=]` },
  keap: { name: 'Keap', field: withoutUnderscore, tag: (field) => `~Contact._${field}~` },
  highlevel: { name: 'HighLevel', field: inSmallLetters, tag: (field) => `{{contact.${field}}}` },
  omnisend: { name: 'Omnisend', tag: (field) => `[[contact.custom_properties.${field}]]` },
  freshmail: { name: 'FreshMail', field: inSmallLetters, tag: (field) => `$$${field}$$` },
  // We found no page of theirs that gives the tag of a custom field: only the name, to be replaced by hand.
  kajabi: { name: 'Kajabi', tag: (field) => field },
  edrone: { name: 'edrone', tag: (field) => field },
} as const satisfies Record<string, Service>

export type MailService = keyof typeof mailServices
export const mailServiceNames = Object.keys(mailServices) as MailService[]

/** A field as the service calls it: the heading of its column in an export, and what its tag names. */
export function fieldName(service: MailService, field: string): string {
  const spelt: Service = mailServices[service]
  return spelt.field?.(field) ?? field
}

/** The field's tag in the mail; without a known service only the name, to be replaced by hand. */
export function mergeTag(service: MailService, field: string): string {
  return mailServices[service].tag(fieldName(service, field))
}

/**
 * `LC_LINK` for the first page that mails link to, `LC_LINK2` for the second. A mail also needs `LC_TIMER` and
 * `LC_END`. Mailchimp's names have at most ten characters.
 */
export function linkField(index: number): string {
  return index === 0 ? 'LC_LINK' : `LC_LINK${index + 1}`
}
