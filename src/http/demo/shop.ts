// A shop for `npm run demo` alone, as a customer would build one: it registers over the public API, "sends" the mail
// that its mail service would, and has an offer page with the widget, behind the gate. It uses what every customer has.
import { randomUUID } from 'node:crypto'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import { type Language, languages } from '../../core/offer.ts'
import { shopBodyLimitBytes } from '../body-limits.ts'
import { conversionsPath } from '../conversions/schemas.ts'
import { errorCodeOf } from '../errors.ts'
import { basePath } from '../public/schemas.ts'
import { neverKept } from '../visitor/headers.ts'
import { languageOf, sendWords } from '../visitor/words-page.ts'
import { endPage, type Mail, mailPage, offerPage, prices, securityOf, signUpPage } from './pages.ts'

type ShopParts = {
  /** Where the API answers, such as `http://localhost:8080`. */
  origin: string
  /** What links and images begin with. */
  publicUrl: string
  key: string
  campaignId: number
}

/** What the shop needs of an answer of the API. */
type Registered = {
  offerLinks: { pageUrl: string; url: string }[]
  mailTimerUrl: string
  deadline: string
  timeZone: string
}

type Path = { Params: { language: Language; mailId: string }; Querystring: { lc?: string } }
/** Undefined where a browser sent no form at all. */
type Form = Path & { Body: URLSearchParams | undefined }

const folder = `/demo/:language(${languages.join('|')})/`
const mostMails = 1_000
/** How long the API may take. */
const timeoutMs = 5_000

/** Where the shop shows its offer: the page of its campaign. */
export function shopOfferUrl(publicUrl: string, language: Language): string {
  return `${publicUrl}/demo/${language}/offer`
}

export function buildShop(parts: ShopParts): FastifyPluginAsync {
  const sent = new Map<string, Mail>()
  const everyPage = { ...neverKept, 'Content-Security-Policy': securityOf(parts.publicUrl) }
  const sendPage = (reply: FastifyReply, html: string) =>
    reply.headers(everyPage).type('text/html; charset=utf-8').send(html)
  const refuse = (reply: FastifyReply, language: Language, email: string) =>
    sendPage(reply.code(422), signUpPage(language, email))

  return async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: shopBodyLimitBytes },
      async (_: unknown, body: string) => new URLSearchParams(body),
    )
    scope.setErrorHandler<Error, Path>((error, { params }, reply) => {
      // No email is that long.
      if (errorCodeOf(error) === 'PAYLOAD_TOO_LARGE') return refuse(reply, params.language, '')
      return sendWords(reply, 503)
    })
    scope.get('/demo', async (_, reply) => goTo(reply, `demo/${wantedLanguage(reply)}/`))
    scope.get('/demo/', async (_, reply) => goTo(reply, `${wantedLanguage(reply)}/`))
    scope.get('/demo/*', async (_, reply) => sendWords(reply, 404))
    scope.get<Path>(folder, async ({ params }, reply) => sendPage(reply, signUpPage(params.language)))
    scope.get<Path>(`${folder}offer`, async (request, reply) => {
      const ref = await letIn(parts, request, reply)
      if (ref === undefined) return reply
      const cookie = `${refCookie}=${ref}; Path=/; Max-Age=86400; HttpOnly; SameSite=Lax`
      return sendPage(reply.header('Set-Cookie', cookie), offerPage(request.params.language, parts.campaignId))
    })
    for (const end of ['closed', 'thanks'] as const) {
      scope.get<Path>(`${folder}${end}`, async ({ params }, reply) => sendPage(reply, endPage(params.language, end)))
    }
    scope.post<Path>(`${folder}buy`, async (request, reply) => {
      const ref = await letIn(parts, request, reply)
      if (ref === undefined) return reply
      // One order for each lead: who presses twice buys once.
      const order = { ref, orderId: `demo-${ref.slice(0, 8)}`, ...prices[request.params.language] }
      const answer = await ask(parts, conversionsPath, 'conversions', order)
      return answer?.ok ? goTo(reply, 'thanks') : sendWords(reply, 503)
    })
    scope.get<Path>(`${folder}mail/:mailId`, async ({ params }, reply) => {
      const mail = sent.get(params.mailId)
      return mail === undefined ? sendWords(reply, 404) : sendPage(reply, mailPage(params.language, mail))
    })
    scope.post<Form>(folder, async ({ body, params: { language } }, reply) => {
      const email = body?.get('email')?.trim() ?? ''
      const offer = await register(parts, email, language)
      if (offer === undefined) return sendWords(reply, 503)
      if (offer === 'refused') return refuse(reply, language, email)
      const id = randomUUID()
      if (sent.size >= mostMails) sent.clear()
      sent.set(id, mailOf(offer, id, email, shopOfferUrl(parts.publicUrl, language), language))
      return goTo(reply, `mail/${id}`)
    })
  }
}

/** The widget takes the ref out of the address, so the shop keeps it. */
const refCookie = 'lastcall-demo'

/** The ref of a visitor who may see the offer, by the status of the gate; 503 lets in. Others are sent elsewhere. */
async function letIn({ origin, campaignId }: ShopParts, { query, headers }: FastifyRequest<Path>, reply: FastifyReply) {
  const given = /^[0-9a-f]{32}$/.exec(query.lc ?? '')?.[0]
  const ref = given ?? /(?:^|; )lastcall-demo=([0-9a-f]{32})(?:;|$)/.exec(headers.cookie ?? '')?.[1] ?? ''
  const { status } = await fetch(`${origin}/visitor/v1/campaigns/${campaignId}/gate`, {
    headers: { 'Lastcall-Ref': ref },
    signal: AbortSignal.timeout(1_000),
  }).catch(() => ({ status: 503 }))
  if (status !== 401 && status !== 403) return ref
  goTo(reply, status === 401 ? './' : 'closed')
  return undefined
}

/** Asks an API about the campaign; undefined where it is out of reach. */
async function ask({ origin, key, campaignId }: ShopParts, path: string, what: string, body: object) {
  return fetch(`${origin}${path}/campaigns/${campaignId}/${what}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => undefined)
}

/** Undefined where the API is out of reach, or does not let us. */
async function register(
  parts: ShopParts,
  email: string,
  language: Language,
): Promise<Registered | 'refused' | undefined> {
  const answer = await ask(parts, basePath, 'leads', { email, language })
  if (answer?.status === 422) return 'refused'
  return answer?.ok ? ((await answer.json()) as Registered) : undefined
}

function mailOf(offer: Registered, id: string, email: string, pageUrl: string, language: Language): Mail {
  return {
    email,
    link: offer.offerLinks.find((link) => link.pageUrl === pageUrl)?.url ?? '',
    // Mail services that keep images by their address ask again for each mail.
    timer: `${offer.mailTimerUrl}?m=${id}`,
    deadlineInWords: inWords(offer, language),
  }
}

/** Addresses are relative: before the server may stand a proxy that gives it a path. */
function goTo(reply: FastifyReply, address: string): FastifyReply {
  return reply.code(303).headers({ Location: address, Vary: 'Accept-Language' }).send()
}

const wantedLanguage = ({ request }: FastifyReply) => languageOf(request.headers['accept-language'], languages)

function inWords({ deadline, timeZone }: Registered, language: Language): string {
  const locale = language === 'pl' ? 'pl-PL' : 'en-GB'
  return new Date(deadline).toLocaleString(locale, { timeZone, dateStyle: 'long', timeStyle: 'long' })
}
