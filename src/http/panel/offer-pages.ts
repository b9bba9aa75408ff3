// Where the widget was last seen, and what the countdown image of a style looks like.
import Type from 'typebox'
import { type Fault, firstFaults } from '../../core/fault.ts'
import { formatInstant } from '../../core/instant.ts'
import { findingOf } from '../../core/lint.ts'
import { mailLanguages } from '../../core/mail-language.ts'
import { fontsFor, timerFonts } from '../../core/timer-font.ts'
import { timerFindings } from '../../core/timer-lint.ts'
import {
  checkTimerStyle,
  filledPresets,
  fullTimerStyle,
  MOST_FRAME_PIXELS,
  presetStyles,
} from '../../core/timer-style.ts'
import { render } from '../../countdown/render.ts'
import { closed } from '../schemas.ts'
import { PanelRefusal } from './errors.ts'
import { forViewer } from './route.ts'

export const offerPageRoutes = {
  ...forViewer('GET /campaigns/:campaignId/sightings', {
    async run({ campaign, parts }) {
      const seen = await parts.store.counts.sightings(campaign)
      return { pages: [...seen].map(([pageId, at]) => ({ pageId, seenAt: formatInstant(at) })) }
    },
  }),
  /** It takes a body, but changes nothing. */
  ...forViewer('POST /timer-picture', {
    body: Type.Object(
      {
        style: Type.Object({}),
        language: Type.Enum([...mailLanguages], { type: 'string' }),
        secondsLeft: Type.Integer({ minimum: 0, maximum: 400 * 86_400 }),
      },
      closed,
    ),
    async run({ parts, session, body, now }) {
      const faults: Fault[] = []
      const style = checkTimerStyle(body.style, '', faults)
      if (style === undefined) throw new PanelRefusal('INVALID', firstFaults(faults))
      const template = await parts.templates.preview(style, body.language, parts.limits.turnToBuild(session, now))
      const picture = Buffer.alloc(template.mostBytes)
      const length = render(template, body.secondsLeft * 1_000, picture)
      return {
        picture: `data:image/gif;base64,${picture.toString('base64', 0, length)}`,
        bytes: length,
        findings: timerFindings(fullTimerStyle(style)).map(findingOf),
      }
    },
  }),
  ...forViewer('GET /timer-styles', {
    run: async () => ({
      fonts: timerFonts.map((name) => ({
        name,
        languages: mailLanguages.filter((language) => fontsFor(language).includes(name)),
      })),
      languages: [...mailLanguages],
      presets: [...presetStyles],
      /** Presets that can have a transparent background, with the labels in the boxes. */
      transparent: fullTimerStyle({ background: 'transparent' }),
      mayBeTransparent: [...filledPresets],
      mostPixels: MOST_FRAME_PIXELS,
    }),
  }),
}
