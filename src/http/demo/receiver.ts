// A server of somebody else, for `npm run demo` alone, on a port of its own: it is told of what happens in the shop,
// verifies it as docs/webhooks.md says, and shows it.
import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { escaped } from '../../core/html.ts'
import { type Language, languages } from '../../core/offer.ts'
import { openLog } from '../../log.ts'
import { receiverBodyLimitBytes } from '../body-limits.ts'
import { newFastify } from '../framework.ts'
import { languageOf } from '../visitor/words-page.ts'

type Received = { type: string; timestamp: string; who: string; receivedAt: string }

const mostShown = 200

const words = {
  en: {
    title: 'What your server is told',
    text: 'Sign up in the shop and watch: the registration comes at once, a reminder half a minute before the end, and then the end. Whatever is not signed by Lastcall is refused. The page reloads by itself.',
    none: 'Nothing yet.',
    event: 'Event',
    who: 'Lead',
    at: 'Happened',
    came: 'Received',
    signature: 'Signature',
    verified: 'verified',
  },
  pl: {
    title: 'Co słyszy Twój serwer',
    text: 'Zapisz się w sklepie i patrz: zapis przychodzi od razu, przypomnienie pół minuty przed końcem, a potem koniec. Czego nie podpisał Lastcall, jest odrzucane. Strona odświeża się sama.',
    none: 'Jeszcze nic.',
    event: 'Zdarzenie',
    who: 'Osoba',
    at: 'Kiedy',
    came: 'Odebrano',
    signature: 'Podpis',
    verified: 'zweryfikowany',
  },
}

/** Listens on loopback until the process ends. */
export async function openReceiver(secret: string, port: number): Promise<void> {
  const received: Received[] = []
  const app = newFastify({
    isHttps: false,
    trustProxy: [],
    log: openLog(),
    sendUndecodable: (reply) => reply.code(404).send(),
  })
  const asText = { parseAs: 'string', bodyLimit: receiverBodyLimitBytes } as const
  app.addContentTypeParser('application/json', asText, async (_: unknown, body: string) => body)
  app.post<{ Body: string }>('/', async ({ body, headers }, reply) => {
    if (!isFromLastcall(headers, body, secret)) return reply.code(401).send()
    const { type, timestamp, data } = JSON.parse(body)
    received.unshift({ type, timestamp, who: data.email ?? '', receivedAt: new Date().toISOString() })
    received.length = Math.min(received.length, mostShown)
    return reply.code(204).send()
  })
  app.get('/', async (request, reply) =>
    reply
      .headers({ 'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'` })
      .type('text/html; charset=utf-8')
      .send(page(languageOf(request.headers['accept-language'], languages), received)),
  )
  await app.listen({ host: '127.0.0.1', port })
}

function isFromLastcall(headers: IncomingHttpHeaders, body: string, secret: string): boolean {
  const at = headers['webhook-timestamp']
  if (!(Math.abs(Date.now() / 1_000 - Number(at)) <= 300)) return false
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const text = `${headers['webhook-id']}.${at}.${body}`
  const expected = createHmac('sha256', key).update(text).digest()
  return String(headers['webhook-signature'])
    .split(' ')
    .map((given) => Buffer.from(given.replace('v1,', ''), 'base64'))
    .some((given) => given.length === expected.length && timingSafeEqual(given, expected))
}

const style = `*{box-sizing:border-box}
body{margin:0;background:#f5f3ff;color:#1f2937;font:1rem/1.5 system-ui,sans-serif}
main{max-width:64rem;margin:0 auto;padding:2rem 1.25rem 4rem}
h1{margin:0 0 .5rem;font-size:clamp(1.5rem,5vw,2rem);line-height:1.2}
p{max-width:42rem;color:#4b5563}
table{width:100%;border-collapse:collapse;background:#fff;border:1px solid #ddd6fe}
th,td{padding:.6rem .8rem;text-align:left;border-bottom:1px solid #ede9fe;overflow-wrap:anywhere}
code{font-size:.9375rem}
.verified{color:#166534;font-weight:600}
@media(max-width:44rem){thead{display:none}tr{display:block;padding:.5rem 0;border-bottom:1px solid #ddd6fe}td{display:block;border:0;padding:.15rem .8rem}}`
const styleHash = hash('sha256', style, 'base64')

function page(language: Language, received: readonly Received[]): string {
  const t = words[language]
  const rows = received.map(
    ({ type, who, timestamp, receivedAt }) =>
      `<tr><td><code>${escaped(type)}</code></td><td>${escaped(who)}</td><td>${escaped(timestamp)}</td><td>${receivedAt}</td><td class="verified">${t.verified}</td></tr>`,
  )
  const heads = [t.event, t.who, t.at, t.came, t.signature].map((head) => `<th scope="col">${head}</th>`).join('')
  const table = `<table><thead><tr>${heads}</tr></thead><tbody>${rows.join('')}</tbody></table>`
  return `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="2"><title>${t.title}</title><style>${style}</style></head>
<body><main><h1>${t.title}</h1><p>${t.text}</p>${received.length === 0 ? `<p>${t.none}</p>` : table}</main></body></html>`
}
