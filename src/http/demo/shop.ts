// A shop for `npm run demo` alone, as a customer would build one: it registers over the public API, "sends" the mail
// that its mail service would, and has an offer page with the widget. It uses nothing of Lastcall but what customers have.
import { randomUUID } from 'node:crypto'
import type { Language } from '../../core/offer.ts'
import { type BodyFailure, type Exchange, readBody, send } from '../exchange.ts'
import { basePath } from '../public/schemas.ts'
import { languageOf, sendWords } from '../visitor/words-page.ts'
import { type Mail, mailPage, offerPage, securityOf, signUpPage } from './pages.ts'

export type ShopParts = {
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

const bodyLimitBytes = 4_096
const mostMails = 1_000
const patienceMs = 5_000
const page = /^\/demo\/(en|pl)\/(?:(offer)|mail\/([0-9a-f-]{36}))?$/

/** Where the shop shows its offer: the page of its campaign. */
export function shopOfferUrl(publicUrl: string, language: Language): string {
  return `${publicUrl}/demo/${language}/offer`
}

/** Answers an exchange whose path is one of the shop's, and says whether it is. */
export function buildShop({ origin, publicUrl, key, campaignId }: ShopParts) {
  const security = securityOf(publicUrl)
  const sent = new Map<string, Mail>()

  function sendPage(exchange: Exchange, html: string, status = 200): void {
    const headers = ['Content-Type', 'text/html; charset=utf-8', 'Cache-Control', 'no-store']
    headers.push('Content-Security-Policy', security, 'Referrer-Policy', 'no-referrer')
    headers.push('X-Content-Type-Options', 'nosniff')
    send(exchange, status, headers, html)
  }

  /** Undefined where the API is out of reach, or does not let us. */
  async function register(email: string, language: Language): Promise<Registered | 'refused' | undefined> {
    const answer = await fetch(`${origin}${basePath}/campaigns/${campaignId}/leads`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ email, language }),
      signal: AbortSignal.timeout(patienceMs),
    }).catch(() => undefined)
    if (answer?.status === 422) return 'refused'
    return answer?.ok ? ((await answer.json()) as Registered) : undefined
  }

  function sendMail(email: string, language: Language, offer: Registered): string {
    const id = randomUUID()
    const link = offer.offerLinks.find(({ pageUrl }) => pageUrl === shopOfferUrl(publicUrl, language))
    const mail = {
      email,
      link: link?.url ?? '',
      timer: `${offer.mailTimerUrl}?m=${id}`,
      deadlineInWords: inWords(offer, language),
    }
    const oldest = sent.keys().next().value
    if (sent.size >= mostMails && oldest !== undefined) sent.delete(oldest)
    sent.set(id, mail)
    return id
  }

  async function signUp(exchange: Exchange, language: Language, body: Buffer | BodyFailure): Promise<void> {
    const email = Buffer.isBuffer(body) ? new URLSearchParams(body.toString('utf8')).get('email') : ''
    const offer = await register(email?.trim() ?? '', language)
    if (offer === undefined) sendWords(exchange, 503)
    else if (offer === 'refused') sendPage(exchange, signUpPage(language, { isRefused: true }), 422)
    else goTo(exchange, `mail/${sendMail(email?.trim() ?? '', language, offer)}`)
  }

  function show(exchange: Exchange, path: string): void {
    const [, language, offer, mailId] = page.exec(path) ?? []
    const mail = mailId === undefined ? undefined : sent.get(mailId)
    if (language === undefined || (mailId !== undefined && mail === undefined)) sendWords(exchange, 404)
    else if (mail !== undefined) sendPage(exchange, mailPage(language as Language, mail))
    else if (offer !== undefined) sendPage(exchange, offerPage(language as Language, campaignId))
    else sendPage(exchange, signUpPage(language as Language))
  }

  return (exchange: Exchange, path: string): boolean => {
    if (path !== '/demo' && !path.startsWith('/demo/')) return false
    const { method, headers } = exchange.req
    const [, form] = /^\/demo\/(en|pl)\/$/.exec(path) ?? []
    if (exchange.refused) sendWords(exchange, 503)
    else if (method === 'POST' && form !== undefined) {
      readBody(exchange, bodyLimitBytes, (body) => void signUp(exchange, form as Language, body))
    } else if (method !== 'GET' && method !== 'HEAD') sendWords(exchange, 404)
    else if (path === '/demo' || path === '/demo/') {
      goTo(exchange, `${path === '/demo' ? 'demo/' : ''}${languageOf(headers['accept-language'])}/`)
    } else show(exchange, path)
    return true
  }
}

/** Addresses are relative: before the server may stand a proxy that gives it a path. */
function goTo(exchange: Exchange, address: string): void {
  const headers = ['Location', address, 'Cache-Control', 'no-store', 'Vary', 'Accept-Language']
  send(exchange, 303, headers, '')
}

function inWords({ deadline, timeZone }: Registered, language: Language): string {
  return new Date(deadline).toLocaleString(language === 'pl' ? 'pl-PL' : 'en-GB', {
    timeZone,
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  })
}
