// A picture of the widget at work: a page of its own, in a frame of the panel. It has the real script, whose questions
// are answered here with an offer that nobody has. So nothing is asked of the visitors' surface: no visit is counted,
// and no page is seen.
import { randomBytes } from 'node:crypto'
import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import { secondsOf } from '../../core/instant.ts'
import { widgetBodyLimitBytes } from '../body-limits.ts'
import { widgetScript } from '../visitor/widget-script.ts'
import { widgetWords } from '../visitor/widget-words.ts'

const folder = '/panel/widget-picture'
/** Long enough for a countdown with days. */
const offerMs = 2 * 86_400_000 + 3 * 3_600_000

type Shown = 'bar' | 'offer' | 'form'
type Words = Record<'title' | 'offer' | 'until' | 'buy' | 'email' | 'send', string>

const words: Record<'en' | 'pl', Words> = {
  en: {
    title: 'Your page',
    offer: 'Your offer',
    until: 'Only until',
    buy: 'Buy',
    email: 'Email',
    send: 'Send me the offer',
  },
  pl: {
    title: 'Twoja strona',
    offer: 'Twoja oferta',
    until: 'Tylko do',
    buy: 'Kup',
    email: 'E-mail',
    send: 'Wyślij mi ofertę',
  },
}

const style = `
body { margin: 0; padding: 16px; background: #fff; color: #111827; font: 16px/1.5 system-ui, sans-serif; }
.line { height: 12px; margin: 0 0 10px; border-radius: 6px; background: #e5e7eb; }
.short { width: 60%; }
.marked { margin: 16px 0; padding: 12px 16px; border: 1px solid #d1d5db; border-radius: 8px; }
.marked p { margin: 0 0 8px; }
`

const bodies: Record<Shown, (text: Words) => string> = {
  bar: () => '',
  offer: ({ offer, until, buy }) => `<div class="marked" data-lastcall="offer"><p>${offer}</p>
<p data-lastcall="running" hidden>${until} <time data-lastcall="deadline"></time>:
<span data-lastcall="countdown"></span></p><strong>${buy}</strong></div>`,
  form: ({ email, send }) => `<form class="marked" data-lastcall="form" method="dialog">
<label>${email} <input type="email" name="email" required></label> <button>${send}</button></form>`,
}

export function widgetPicture(now: () => number): FastifyPluginAsync {
  return async (scope) => {
    scope.get<{ Params: { shown: Shown; language: 'en' | 'pl' } }>(
      `${folder}/:shown(bar|offer|form).:language(en|pl)`,
      async ({ params }, reply) => sendPage(reply, params.shown, params.language),
    )
    scope.get(`${folder}/widget/v1.js`, async (_, reply) => {
      const { plain } = await widgetScript()
      return forFrame(reply).type('text/javascript; charset=utf-8').send(plain)
    })
    scope.get<{ Params: { language: 'pl' } }>(`${folder}/widget/v1.:language(pl).json`, async ({ params }, reply) =>
      forFrame(reply).send(widgetWords[params.language]),
    )
    // The widget sends its JSON as text. Whatever it says stays unread.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'string', bodyLimit: widgetBodyLimitBytes }, async () => undefined)
    scope.post(`${folder}/visitor/v1/campaigns/:id(^\\d+$)/:what(offer|leads)`, async (_, reply) =>
      forFrame(reply).send(sampleOffer(now())),
    )
  }
}

function sampleOffer(nowMs: number) {
  const deadline = secondsOf(nowMs) * 1_000 + offerMs
  return {
    now: nowMs,
    spentMs: 0,
    state: 'open',
    opensAt: null,
    deadline,
    nextAt: null,
    onExpiry: { action: 'HIDE' },
    known: true,
    lc: null,
  }
}

/** To the frame, which is sandboxed, every answer comes from elsewhere. */
function forFrame(reply: FastifyReply): FastifyReply {
  return reply.headers({ 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' })
}

function sendPage(reply: FastifyReply, shown: Shown, language: 'en' | 'pl'): FastifyReply {
  const nonce = randomBytes(16).toString('base64')
  const none = ["'none'"]
  const own = ["'self'"]
  reply.helmet({
    xFrameOptions: { action: 'sameorigin' },
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: none,
        scriptSrc: own,
        connectSrc: own,
        styleSrc: [`'nonce-${nonce}'`],
        baseUri: none,
        formAction: none,
        frameAncestors: own,
      },
    },
  })
  const text = words[language]
  const lines = '<div class="line"></div><div class="line"></div><div class="line short"></div>'
  return reply
    .type('text/html; charset=utf-8')
    .header('Cache-Control', 'no-cache')
    .send(`<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${text.title}</title>
<style nonce="${nonce}">${style}</style><script src="widget/v1.js?campaign=1"></script></head>
<body><main>${lines}${bodies[shown](text)}${lines}</main></body>
</html>`)
}
