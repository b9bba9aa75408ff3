// The mail kit of a campaign: the HTML with the merge tags of a mail service, and the headings of the export.
import Type from 'typebox'
import { countTries } from '../../access/tries.ts'
import type { Seconds } from '../../core/instant.ts'
import { deadlineInWords, mailHtml, mailText } from '../../core/mail-html.ts'
import { linkField, mailServiceNames, mailServices, mergeTag } from '../../core/mail-services.ts'
import { leadOffer, type OfferTools } from '../../core/offer.ts'
import { fullTimerStyle } from '../../core/timer-style.ts'
import { type ExportLine, exportColumns, exportLine, linkedPages, namesDeadline } from '../../leads/export.ts'
import { view } from '../../leads/leads.ts'
import { asFile, type Campaign } from '../../store/model.ts'
import { closed } from '../schemas.ts'
import { revisionOf } from './campaigns.ts'
import { invalid, PanelRefusal } from './errors.ts'
import { needLead, toolsOf } from './leads.ts'
import { mailsOf, testMailsOf } from './rates-and-turns.ts'
import { forMember, forViewer } from './route.ts'
import { Ref } from './schemas.ts'

/** A day that every reader knows, as an example of a deadline in words. */
const sampleDay = Date.UTC(2026, 11, 31, 23, 59) / 1_000

export const mailRoutes = {
  ...forViewer('GET /mail-services', {
    run: async () => ({ services: mailServiceNames.map((id) => ({ id, name: mailServices[id].name })) }),
  }),
  /** `link` is the number of the page that the mail links to, from 0, among those that mails link to. */
  ...forViewer('GET /campaigns/:campaignId/mail', {
    query: Type.Object(
      {
        service: Type.Optional(Type.Enum(mailServiceNames)),
        link: Type.Optional(Type.String({ pattern: '^\\d{1,2}$' })),
      },
      closed,
    ),
    async run({ campaign, query: { service = 'other', link = '0' }, now }) {
      const tag = (field: string) => mergeTag(service, field)
      const deadline = namesDeadline(campaign, now) ? tag('LC_END') : null
      // A colleague may have removed the page since.
      const number = Number(link) < linkedPages(campaign).length ? Number(link) : 0
      const timer = campaign.mailTimer && tag('LC_TIMER')
      const values = { link: tag(linkField(number)), timer, deadline, startsOnVisit: startsOnVisit(campaign) }
      return {
        html: mailHtml(values, fullTimerStyle(campaign.mailTimer ?? {}), campaign.language),
        /** The headings of the export. */
        columns: exportColumns(campaign, service),
        /** Of the campaign that the headings are of. */
        revision: revisionOf(asFile(campaign)),
        pages: linkedPages(campaign).map(({ pageUrl }) => pageUrl),
        language: campaign.language,
        linkField: linkField(number),
        /** A deadline in words, as an example. */
        sample: deadlineInWords(sampleDay, 'UTC', campaign.language),
      }
    },
  }),
  /** What a lead would get, sent to the user, or as a file. */
  ...forMember('POST /campaigns/:campaignId/test-mail', {
    body: Type.Object(
      {
        ref: Ref,
        link: Type.Integer({ minimum: 0, maximum: 99 }),
        isSent: Type.Boolean(),
      },
      closed,
    ),
    async run({ campaign, session, parts, body, now }) {
      if (campaign.isDraft) throw new PanelRefusal('CAMPAIGN_IS_DRAFT')
      const lead = await needLead(parts, campaign, body.ref)
      const mail = mailOf(
        campaign,
        exportLine(view(campaign, lead, now)),
        toolsOf(session.account, parts),
        body.link,
        now,
      )
      const to = session.user.email
      if (!body.isSent) return { sentTo: null, file: await parts.mailer.write({ ...mail, to }) }
      if (!parts.mailer.isOn) throw new PanelRefusal('NO_MAIL_SERVER')
      await countTries(parts.store.access, [testMailsOf(session), mailsOf(session)], now)
      await parts.mailer.send({ ...mail, to })
      return { sentTo: to, file: null }
    },
  }),
}

const startsOnVisit = ({ terms }: Campaign) => terms.mechanism.startsOn === 'visit'

function mailOf(campaign: Campaign, line: ExportLine, tools: OfferTools, link: number, now: Seconds) {
  const { language, timeZone, name } = campaign
  const { offerLinks, mailTimerUrl } = leadOffer(campaign, { ...line, language }, tools)
  const url = offerLinks[link]?.url ?? offerLinks[0]?.url
  if (url === undefined) throw invalid('link', 'must have a page that mails link to')
  // As the HTML for mails has it, which would say “The offer ends on .” to some.
  const inWords = line.deadline === null ? '' : deadlineInWords(line.deadline, timeZone, language)
  const deadline = namesDeadline(campaign, now) ? inWords : null
  const values = { link: url, timer: mailTimerUrl, deadline, startsOnVisit: startsOnVisit(campaign) }
  const html = mailHtml(values, fullTimerStyle(campaign.mailTimer ?? {}), language)
  // A name may have been made with line ends, and a subject is one line.
  return { subject: name.replace(/\s+/g, ' '), html, text: mailText(values, language) }
}
