// A page for people, where there is nothing to show.
import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Language } from '../../core/offer.ts'
import type { Log } from '../../log.ts'
import { errorCodeOf, logFailure } from '../errors.ts'
import { neverKept } from './headers.ts'

const words: Record<Language, Record<404 | 503, { title: string; text: string }>> = {
  en: {
    404: {
      title: 'There is nothing at this address',
      text: 'The link may be incomplete, or what it led to is no longer there. Open it again from the message it came in, or ask its sender.',
    },
    503: {
      title: 'Please try again in a moment',
      text: 'The page cannot be opened just now. Your link stays valid.',
    },
  },
  pl: {
    404: {
      title: 'Pod tym adresem nic nie ma',
      text: 'Link może być niepełny albo to, do czego prowadził, już nie istnieje. Otwórz go ponownie z wiadomości, w której przyszedł, lub zapytaj nadawcę.',
    },
    503: {
      title: 'Spróbuj ponownie za chwilę',
      text: 'Strony nie można teraz otworzyć. Twój link pozostaje ważny.',
    },
  },
}

const style = `:root{color-scheme:light dark}body{font:1.0625rem/1.6 system-ui,sans-serif;max-width:32rem;margin:18vh auto 0;padding:0 1.5rem}h1{font-size:1.5rem;line-height:1.25;text-wrap:balance}`
const security = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; frame-ancestors 'none'`

/** For a scope of pages for people: what is not found there, and what fails, is said in words. */
export function useWords(scope: FastifyInstance, log: Log): void {
  scope.setErrorHandler((error, request, reply) => {
    logFailure(log, errorCodeOf(error), error, request)
    return sendWords(reply, 503)
  })
  scope.get('/*', async (_, reply) => sendWords(reply, 404))
}

/** Answers in the browser's language. */
export function sendWords(reply: FastifyReply, status: 404 | 503): FastifyReply {
  const language = languageOf(reply.request.headers['accept-language'])
  const { title, text } = words[language][status]
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
 * Which of the two the browser wants more (RFC 9110, section 12.5.4), the one that stands first where it wants
 * both as much; English where it wants neither.
 */
export function languageOf(acceptLanguage = ''): Language {
  let wanted: Language = 'en'
  let most = 0
  for (const range of acceptLanguage.split(',').slice(0, 20)) {
    const [tag = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2)
    const language = tag.split('-')[0]
    if (language === 'en' || language === 'pl') {
      const weight = quality === undefined ? 1 : Number(quality) || 0
      if (weight <= most) continue
      most = weight
      wanted = language
    }
  }
  return wanted
}
