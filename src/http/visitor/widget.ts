// The widget's script, below /widget.
import type { FastifyInstance, FastifyReply } from 'fastify'
import { mailLanguages } from '../../core/mail-language.ts'
import { type WidgetScript, widgetScript } from './widget-script.ts'
import { widgetWords } from './widget-words.ts'

const hour = 'public, max-age=3600'
const year = 'public, max-age=31536000, immutable'

export async function widget(scope: FastifyInstance): Promise<void> {
  scope.get('/v1.js', async (_, reply) => sendScript(reply, await widgetScript(), hour))
  scope.get<{ Params: { language: keyof typeof widgetWords } }>(
    `/v1.:language(${mailLanguages.join('|')}).json`,
    async ({ params }, reply) =>
      reply.headers({ ...forAnyPage, 'Cache-Control': hour }).send(widgetWords[params.language]),
  )
  // A page with an old version gets the present one: its offers must end too.
  scope.get<{ Params: { hash: string } }>('/v1.:hash([0-9a-f]{16}).js', async ({ params }, reply) => {
    const script = await widgetScript()
    return sendScript(reply, script, params.hash === script.hash ? year : hour)
  })
}

const forAnyPage = {
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'Referrer-Policy': 'no-referrer',
}

function sendScript(reply: FastifyReply, script: WidgetScript, caching: string): FastifyReply {
  const { headers } = reply.request
  const etag = `W/"${script.hash}"`
  reply.headers({
    'Cache-Control': caching,
    ETag: etag,
    Vary: 'Accept-Encoding',
    ...forAnyPage,
  })
  if (isKept(headers['if-none-match'], etag)) return reply.code(304).send()
  reply.type('text/javascript; charset=utf-8')
  const coding = (['br', 'gzip'] as const).find((one) => accepts(headers['accept-encoding'], one))
  return coding === undefined ? reply.send(script.plain) : reply.header('Content-Encoding', coding).send(script[coding])
}

/** Compared weakly (RFC 9110, section 13.1.2). */
function isKept(ifNoneMatch = '', etag: string): boolean {
  const kept = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^(?!W\/)/, 'W/'))
  return kept.includes(etag)
}

function accepts(acceptEncoding = '', coding: string): boolean {
  const entries = acceptEncoding.split(',').map((entry) => entry.split(';').map((part) => part.trim()))
  const entry = entries.find(([name = '']) => name.toLowerCase() === coding)
  return entry !== undefined && !entry.slice(1).some((part) => /^q=0(?:\.0*)?$/i.test(part))
}
