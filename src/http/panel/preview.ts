// What a campaign would do before it is saved, decided by the same rules as for real leads.
import Type from 'typebox'
import { checkCampaign } from '../../core/campaign.ts'
import type { Fault } from '../../core/fault.ts'
import { type LintFinding, lint } from '../../core/lint.ts'
import { parseDateTime } from '../../core/mechanism/calendar.ts'
import { parsePeriod } from '../../core/mechanism/period.ts'
import { type Preview, preview } from '../../core/preview.ts'
import { settingsBodyLimitBytes } from '../body-limits.ts'
import { closed, nullable } from '../schemas.ts'
import { invalid } from './errors.ts'
import { forViewer } from './route.ts'

/** Wrong settings have no preview. The zone is the one to show the moments in: the editor may have another by then. */
type PreviewAnswer =
  | { faults: Fault[]; moments: null; findings: null; timeZone: null }
  | { faults: null; moments: Preview[]; findings: LintFinding[]; timeZone: string }

/** Later than this, clock changes are guesswork and browsers cannot show all dates. */
const ownMoments = /^20\d\d-/

export const previewRoutes = {
  /** The settings in the editor, even wrong ones; `own` is a local time, `visitAfter` a period. */
  ...forViewer('POST /preview', {
    body: Type.Object(
      {
        settings: Type.Object({}),
        own: nullable(Type.String({ maxLength: 16 })),
        visitAfter: Type.String({ maxLength: 16 }),
      },
      closed,
    ),
    bodyLimit: settingsBodyLimitBytes,
    async run({ session, parts, body: { settings, own, visitAfter }, now }): Promise<PreviewAnswer> {
      parts.limits.countPreview(session.user.id, now)
      const ownMoment = own === null ? null : ownMoments.test(own) ? parseDateTime(own) : undefined
      if (ownMoment === undefined) {
        throw invalid('own', 'must be an existing date and time such as "2026-12-31T23:59"')
      }
      if (parsePeriod(visitAfter) === undefined) throw invalid('visitAfter', 'must be a period such as "PT1H"')
      const result = checkCampaign(settings)
      if ('faults' in result) return { faults: result.faults, moments: null, findings: null, timeZone: null }
      const { campaign } = result
      const supposed = { now, own: ownMoment, visitAfter, anonymous: campaign.anonymous.enabled }
      const { timeZone } = campaign
      return { faults: null, moments: preview(campaign, supposed), findings: lint(campaign, now), timeZone }
    },
  }),
}
