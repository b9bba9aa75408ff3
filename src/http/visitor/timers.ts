// Countdown images, below /timer: the answer is always 200 and a GIF, since mail proxies would cache an error.
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { secondsOf } from '../../core/instant.ts'
import { type MailLanguage, mailLanguages } from '../../core/mail-language.ts'
import { type Offer, offerAt } from '../../core/mechanism/attempt.ts'
import { refPattern } from '../../core/offer.ts'
import { rateWindow } from '../../core/rate-window.ts'
import { fullTimerStyle, type GivenTimerStyle } from '../../core/timer-style.ts'
import { transparentPicture } from '../../countdown/gif.ts'
import { render } from '../../countdown/render.ts'
import type { Template } from '../../countdown/template.ts'
import { TemplateUnavailable, type Turn } from '../../countdown/templates.ts'
import { type Found, offerIfVisited } from '../../leads/visitors.ts'
import { errorCodeOf, logFailure } from '../errors.ts'
import { fetcherOf } from './fetcher.ts'
import { neverKept } from './headers.ts'
import type { VisitorParts } from './parts.ts'

/** Why there is no countdown; `X-Timer-State` says it, or the state of the offer. */
type Hidden = 'no-deadline' | 'no-timer' | 'draft' | 'unknown' | 'tools-unavailable' | 'suspended' | 'unavailable'

type Countdown = { state: Offer['state']; template: Template; leftMs: number }

type ImagePath = { language: MailLanguage; ref: string }

/** The buffer in which images are drawn. One for all, since drawing an image never waits. */
let drawn = Buffer.alloc(0)

/** In a minute, for an account. A new style is drawn for the first mail in each language. */
const mostBuilds = 24

export function timers({ visitors, templates, building, counting, log, now }: VisitorParts): FastifyPluginAsync {
  const countBuild = rateWindow()

  /** Counted beside the panel's limit, so that previews leave no mail without its image. */
  function turnOf(accountId: number): Turn {
    return async (build) => {
      const { allowed } = countBuild(accountId, mostBuilds, now())
      if (!allowed) throw new TemplateUnavailable('too many countdown images of the account were built in this minute')
      return building(accountId, build)
    }
  }

  /** State and time left at one instant; undefined without a deadline. */
  function offerNow({ campaign, lead }: Found): Omit<Countdown, 'template'> | undefined {
    const nowMs = now()
    const at = secondsOf(nowMs)
    const offer = offerAt(campaign.terms, lead.attempt, at)
    const { deadline } = offerIfVisited(campaign, lead, offer, at)
    return deadline === null ? undefined : { state: offer.state, leftMs: deadline * 1_000 - nowMs }
  }

  async function countdownOf(found: Found, language: MailLanguage): Promise<Countdown | Hidden> {
    if (offerNow(found) === undefined) return 'no-deadline'
    const { accountId, mailTimer } = found.campaign
    const template = await templates.get(mailTimer as GivenTimerStyle, language, turnOf(accountId))
    // Building it may have taken seconds, in which the deadline may have passed.
    const offer = offerNow(found)
    return offer === undefined ? 'no-deadline' : { ...offer, template }
  }

  function sendCountdown(reply: FastifyReply, { state, template, leftMs }: Countdown): FastifyReply {
    if (drawn.length < template.mostBytes) drawn = Buffer.alloc(template.mostBytes)
    const length = render(template, leftMs, drawn)
    // A copy of the image's own length: a slow reader still reads it while the next one is drawn. A buffer for the
    // longest possible image, allocated each time, made the garbage collector take a third of the CPU time.
    return sendImage(reply, state, Buffer.from(drawn.subarray(0, length)))
  }

  function failed(error: unknown, request: FastifyRequest): Hidden {
    // No cause: too many images wait to be built, one took too long, or the server stops.
    const isOfTheMoment = error instanceof TemplateUnavailable && error.cause === undefined
    if (!isOfTheMoment) logFailure(log, errorCodeOf(error), error, request)
    return 'unavailable'
  }

  return async (scope) => {
    scope.setErrorHandler((error, request, reply) => sendNothing(reply, failed(error, request)))
    scope.get('/*', async (_, reply) => sendNothing(reply, 'unknown'))
    scope.get<{ Params: ImagePath }>(
      `/:language(${mailLanguages.join('|')})/:ref(${refPattern}).gif`,
      async (request, reply) => {
        const { language, ref } = request.params
        const found = await visitors.find(ref)
        if (found === undefined) return sendNothing(reply, 'unknown')
        const shown = whyHidden(found) ?? (await countdownOf(found, language).catch((error) => failed(error, request)))
        if (typeof shown === 'string') sendNothing(reply, shown, found.campaign.mailTimer)
        else sendCountdown(reply, shown)
        if (request.method !== 'HEAD') {
          // A mail was opened, even if the image shows nothing.
          const { campaign, lead } = found
          const fetcher = fetcherOf(request.headers)
          counting.count({ campaign, pageId: null, leadId: lead.id, kind: 'open', fetcher }, now())
        }
        return reply
      },
    )
  }
}

/** Why there is no countdown, if there is none. */
function whyHidden({ campaign, account }: Found): Hidden | undefined {
  if (account.suspended) return 'suspended'
  if (campaign.isDraft) return 'draft'
  if (!account.countdownTools) return 'tools-unavailable'
  return campaign.mailTimer === null ? 'no-timer' : undefined
}

/** Without a style: as wide as most mails, and one pixel high. */
const unstyled = { width: 600, height: 1, pixelsPerPoint: 1 }

/** As large as the countdown: a mail that sets only the width would otherwise show an empty square. */
export function sendNothing(reply: FastifyReply, state: Hidden, style: GivenTimerStyle | null = null): FastifyReply {
  const { width, height, pixelsPerPoint } = style === null ? unstyled : fullTimerStyle(style)
  return sendImage(reply, state, Buffer.from(transparentPicture(width * pixelsPerPoint, height * pixelsPerPoint)))
}

const everyImage = {
  ...neverKept,
  'Content-Type': 'image/gif',
  Pragma: 'no-cache',
  Expires: '0',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Accept-Ranges': 'none',
}

function sendImage(reply: FastifyReply, state: Offer['state'] | Hidden, gif: Buffer): FastifyReply {
  return reply
    .code(200)
    .headers({ ...everyImage, 'X-Timer-State': state })
    .send(gif)
}
