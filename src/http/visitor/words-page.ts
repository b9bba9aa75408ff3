// A page in words, for people, if there is nothing else to show.
import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { type MailLanguage, mailLanguages } from '../../core/mail-language.ts'
import { neverKept } from './headers.ts'
import { pageWords } from './page-words.ts'

const style = `:root{color-scheme:light dark}body{font:1.0625rem/1.6 system-ui,sans-serif;max-width:32rem;margin:18vh auto 0;padding:0 1.5rem}h1{font-size:1.5rem;line-height:1.25;text-wrap:balance}`
const security = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; frame-ancestors 'none'`

/** Answers in the browser's language. */
export function sendWords(reply: FastifyReply, status: 404 | 503): FastifyReply {
  const language = languageOf(reply.request.headers['accept-language'], mailLanguages)
  const { title, text } = pageWords[language][status]
  if (status === 503) reply.header('Retry-After', '5')
  return reply
    .code(status)
    .headers({ ...neverKept, 'Content-Language': language, Vary: 'Accept-Language' })
    .header('Content-Security-Policy', security)
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html><html lang="${language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style><main><h1>${title}</h1><p>${text}</p></main></html>`,
    )
}

/**
 * The language that the browser prefers (RFC 9110, section 12.5.4), the first of several that it prefers equally;
 * English if it wants none of them.
 */
export function languageOf<L extends MailLanguage>(
  acceptLanguage: string | undefined,
  choices: readonly L[],
): L | 'en' {
  let wanted: L | 'en' = 'en'
  let most = 0
  for (const range of (acceptLanguage ?? '').split(',').slice(0, 20)) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    const language = choices.find((choice) => choice === tag.split('-')[0])
    if (language === undefined) continue
    const weight = quality === undefined ? 1 : Number(quality) || 0
    if (weight <= most) continue
    most = weight
    wanted = language
  }
  return wanted
}
