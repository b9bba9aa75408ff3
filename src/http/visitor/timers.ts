// The countdown image: whatever is asked, the answer is 200 and a GIF, for errors would be kept by mail proxies.

import type { Seconds } from '../../core/instant.ts'
import { offerAt } from '../../core/mechanism/attempt.ts'
import type { Language } from '../../core/offer.ts'
import type { GivenTimerStyle } from '../../core/timer-style.ts'
import { transparentPixel } from '../../countdown/gif.ts'
import { render } from '../../countdown/render.ts'
import type { Template } from '../../countdown/template.ts'
import { type Templates, TemplateUnavailable } from '../../countdown/templates.ts'
import type { Counting } from '../../leads/counting.ts'
import { type Found, offerIfVisited, type Visitors } from '../../leads/visitors.ts'
import { StoreUnavailable } from '../../store/errors.ts'
import { type Exchange, send } from '../exchange.ts'
import { fetcherOf } from './fetcher.ts'
import { unkept } from './headers.ts'

const path = /^\/timer\/(en|pl)\/([0-9a-f]{32})\.gif$/

export type TimerParts = {
  visitors: Visitors
  templates: Templates
  counting: Counting
  onDefect(error: unknown): void
  /** Wall clock, milliseconds. */
  now(): number
}

/** What `X-Timer-State` says. */
type State =
  | 'open'
  | 'scheduled'
  | 'pending'
  | 'expired'
  | 'no-deadline'
  | 'no-timer'
  | 'draft'
  | 'unknown'
  | 'tools-unavailable'
  | 'suspended'
  | 'unavailable'

const everyImage = [
  ...unkept,
  'Content-Type',
  'image/gif',
  'Pragma',
  'no-cache',
  'Expires',
  '0',
  'Cross-Origin-Resource-Policy',
  'cross-origin',
  'Accept-Ranges',
  'none',
]

const pixel = Buffer.from(transparentPixel())

/** Answers GET and HEAD of every path below `/timer/`. */
export function buildTimers(parts: TimerParts): (exchange: Exchange, path: string) => void {
  const { visitors, templates, counting, onDefect, now } = parts
  const draw = drawing()

  function sendPixel(exchange: Exchange, state: State): void {
    send(exchange, 200, [...everyImage, 'X-Timer-State', state], pixel)
  }

  function sendImage(exchange: Exchange, state: State, template: Template, deadline: number): void {
    const body = () => draw(exchange, template, Math.max(0, deadline * 1_000 - now()))
    send(exchange, 200, [...everyImage, 'X-Timer-State', state], body)
  }

  function showTime(
    exchange: Exchange,
    style: GivenTimerStyle,
    language: Language,
    state: State,
    deadline: Seconds,
  ): void {
    const template = templates.get(style, language)
    if (template instanceof Promise) {
      template.then(
        (made) => sendImage(exchange, state, made, deadline),
        (error) => fail(exchange, error),
      )
    } else sendImage(exchange, state, template, deadline)
  }

  function show(exchange: Exchange, language: Language, { campaign, lead }: Found): void {
    const at = Math.floor(now() / 1_000)
    const offer = offerAt(campaign.schedule, lead.attempt, at)
    const { deadline } = offerIfVisited(campaign, lead, offer, at)
    if (deadline === null) sendPixel(exchange, 'no-deadline')
    else showTime(exchange, campaign.mailTimer as GivenTimerStyle, language, offer.state, deadline)
  }

  /** Whoever has a lead's image before them has opened a mail, whatever it shows. */
  function answer(exchange: Exchange, language: Language, found: Found | undefined): void {
    if (found === undefined) {
      sendPixel(exchange, 'unknown')
      return
    }
    const hidden = whyHidden(found)
    if (hidden === undefined) show(exchange, language, found)
    else sendPixel(exchange, hidden)
    const { campaign, lead } = found
    if (exchange.req.method === 'HEAD') return
    const fetcher = fetcherOf(exchange.req.headers)
    counting.count({ campaign, pageId: null, leadId: lead.id, kind: 'open', fetcher }, exchange.arrivedAtMs)
  }

  function fail(exchange: Exchange, error: unknown): void {
    // Without a cause there were too many to build, or it is the end.
    const isOfTheMoment = error instanceof TemplateUnavailable && error.cause === undefined
    if (!isOfTheMoment && !(error instanceof StoreUnavailable)) onDefect(error)
    sendPixel(exchange, 'unavailable')
  }

  function open(exchange: Exchange, language: string, ref: string): void {
    try {
      const found = visitors.find(ref)
      const opened = (result: Found | undefined) => answer(exchange, language as Language, result)
      if (found instanceof Promise) found.then(opened).catch((error) => fail(exchange, error))
      else opened(found)
    } catch (error) {
      fail(exchange, error)
    }
  }

  return (exchange, asked) => {
    const [, language, ref] = path.exec(asked) ?? []
    if (exchange.refused) sendPixel(exchange, 'unavailable')
    else if (language === undefined || ref === undefined) sendPixel(exchange, 'unknown')
    else open(exchange, language, ref)
  }
}

/** Why there is no image, if there is none. */
function whyHidden({ campaign, account }: Found): State | undefined {
  if (account.suspended) return 'suspended'
  if (campaign.isDraft) return 'draft'
  if (!account.countdownTools) return 'tools-unavailable'
  return campaign.mailTimer === null ? 'no-timer' : undefined
}

/**
 * Draws each image, when it leaves, into the place of the one before: a fresh buffer costs more than the drawing.
 * Where that has not left, as with a slow reader, the place is that answer's and the next one gets another.
 */
function drawing(): (exchange: Exchange, template: Template, remainingMs: number) => Uint8Array {
  let buffer = Buffer.alloc(0)
  let last: Exchange['res'] | undefined
  return ({ res }, template, remainingMs) => {
    const isFree = last === undefined || last.writableLength === 0
    if (!isFree || buffer.length < template.mostBytes) buffer = Buffer.allocUnsafeSlow(template.mostBytes)
    last = res
    return buffer.subarray(0, render(template, remainingMs, buffer))
  }
}
