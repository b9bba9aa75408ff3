/** How the usual mail services write the fields of a contact; docs/email.md says the same. */
export const mailServices = {
  mailchimp: { name: 'Mailchimp', tag: (field: string) => `*|LC_${field === 'DEADLINE' ? 'END' : field}|*` },
  brevo: { name: 'Brevo', tag: (field: string) => `{{ contact.LASTCALL_${field} }}` },
  klaviyo: {
    name: 'Klaviyo',
    tag: (field: string) => `{{ person|lookup:'lastcall_${field.toLowerCase()}' }}`,
  },
  activecampaign: { name: 'ActiveCampaign', tag: (field: string) => `%LASTCALL_${field}%` },
  mailerlite: { name: 'MailerLite', tag: (field: string) => `{$lastcall_${field.toLowerCase()}}` },
  getresponse: { name: 'GetResponse', tag: (field: string) => `[[lastcall_${field.toLowerCase()}]]` },
  hubspot: { name: 'HubSpot', tag: (field: string) => `{{ contact.lastcall_${field.toLowerCase()} }}` },
  kit: { name: 'Kit', tag: (field: string) => `{{ subscriber.lastcall_${field.toLowerCase()} }}` },
} satisfies Record<string, { name: string; tag(field: string): string }>

export type MailService = keyof typeof mailServices | 'other'

/** A merge tag; of a service that is not known the field's own name, to be replaced by hand. */
export function mergeTag(service: MailService, field: 'LINK' | 'TIMER' | 'DEADLINE'): string {
  return service === 'other' ? field : mailServices[service].tag(field)
}
