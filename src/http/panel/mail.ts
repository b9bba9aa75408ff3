// The mail kit of a campaign: the HTML with the merge tags of a mail service, and the headings of the export.
import Type from 'typebox'
import { deadlineInWords, mailHtml } from '../../core/mail-html.ts'
import { linkField, mailServiceNames, mailServices, mergeTag } from '../../core/mail-services.ts'
import { fullTimerStyle } from '../../core/timer-style.ts'
import { exportColumns, linkedPages } from '../../leads/export.ts'
import { forReader } from './route.ts'
import { closed } from './schemas.ts'

/** A day that every reader knows, to show how deadlines are said. */
const sampleDay = Date.UTC(2026, 11, 31, 23, 59) / 1_000

export const mailRoutes = {
  ...forReader('GET /mail-services', {
    run: async () => ({ services: mailServiceNames.map((id) => ({ id, name: mailServices[id].name })) }),
  }),
  /** `link` is the number of the page that the mail links to, from 0, among those that mails link to. */
  ...forReader('GET /campaigns/:campaignId/mail', {
    query: Type.Object(
      {
        service: Type.Optional(Type.Enum(mailServiceNames)),
        link: Type.Optional(Type.String({ pattern: '^\\d{1,2}$' })),
      },
      closed,
    ),
    async run({ campaign, query: { service = 'other', link = '0' } }) {
      const tag = (field: string) => mergeTag(service, field)
      const values = { link: tag(linkField(Number(link))), timer: tag('LC_TIMER'), deadline: tag('LC_END') }
      return {
        html: mailHtml(values, fullTimerStyle(campaign.mailTimer ?? {}), campaign.language),
        /** The headings of the export. */
        columns: exportColumns(campaign, service),
        pages: linkedPages(campaign).map(({ pageUrl }) => pageUrl),
        language: campaign.language,
        /** How deadlines are said. */
        sample: deadlineInWords(sampleDay, 'UTC', campaign.language),
      }
    },
  }),
}
