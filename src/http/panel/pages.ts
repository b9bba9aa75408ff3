// The panel's pages as Vite built them: one document for every screen, and files with a hash in their names.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import files from '@fastify/static'
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Site } from '../../core/offer.ts'
import type { Log } from '../../log.ts'
import { errorCodeOf, logFailure, sendError } from '../errors.ts'
import { contentPolicy } from './content-policy.ts'

const built = resolve(import.meta.dirname, '../../../panel/dist')

/** The first part of the address of each screen but the overview: what the panel's router has, and nothing more. */
export const screensBehindSession = ['campaigns', 'person', 'integrations', 'settings']
export const screens = ['sign-in', 'setup', 'join', 'reset', ...screensBehindSession]

/** What the router loads for such an address, and what that asks the API first, beside the session. */
type Screen = { module: string; asks?: string[] }
const integrations: Screen = { module: 'integrations/integrations.tsx' }
const settings: Screen = { module: 'settings/settings.tsx' }
const loaded: Record<string, Screen> = {
  '/': { module: 'overview/overview.tsx' },
  '/campaigns': { module: 'campaigns/list/list.tsx', asks: ['campaigns'] },
  '/campaigns/*': { module: 'campaigns/campaign.tsx' },
  '/person': { module: 'person/person.tsx' },
  '/integrations': integrations,
  '/integrations/*': integrations,
  '/settings': settings,
  '/settings/*': settings,
}

type PagesParts = { site: Site; log: Log }

export function pages({ site, log }: PagesParts): FastifyPluginAsync {
  return async (scope) => {
    scope.setErrorHandler((error: { statusCode?: number }, request, reply) => {
      const { statusCode = 500 } = error
      // For example a path that leads out of the folder.
      if (statusCode === 403) return sendError(reply, 'NOT_FOUND')
      // A condition that does not hold, or a range that the file does not have (RFC 9110, sections 13 and 14).
      if (statusCode === 412 || statusCode === 416) return reply.code(statusCode).send()
      const code = errorCodeOf(error)
      logFailure(log, code, error, request)
      return sendError(reply, code)
    })
    scope.register(files, {
      root: join(built, 'panel', 'assets'),
      prefix: '/panel/assets/',
      decorateReply: false,
      index: false,
      dotfiles: 'ignore',
      preCompressed: true,
      immutable: true,
      maxAge: '1y',
      // Without the built files the server still starts, and its pages say what is missing.
      suppressWarning: true,
    })
    const addresses = ['/', ...screens.flatMap((screen) => [`/${screen}`, `/${screen}/*`])]
    for (const address of addresses) {
      scope.get(address, async (request, reply) =>
        wantsPage(request) ? sendDocument(reply, site.publicUrl, loaded[address]) : reply.callNotFound(),
      )
    }
  }
}

/** Programs get the contract's 404 where people get a screen (contract, "Paths outside it"). */
function wantsPage(request: FastifyRequest): boolean {
  const { headers, routeOptions } = request
  return isOfBrowser(request) || (routeOptions.url === '/' && headers.accept?.includes('*/*') === true)
}

/** Whether a browser wants a page; none of them asks for JSON beside it. */
export function isOfBrowser({ method, headers: { accept = '' } }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && /text\/html/i.test(accept) && !/application\/json/i.test(accept)
}

/** The document of every screen; it names what the one asked for needs. */
export async function sendDocument(reply: FastifyReply, publicUrl: string, screen?: Screen): Promise<FastifyReply> {
  reply.type('text/html; charset=utf-8').header('Cache-Control', 'no-cache')
  const document = await readFile(join(built, 'index.html'), 'utf8').catch(() => undefined)
  if (document === undefined) {
    const notBuilt = '<!doctype html><title>Lastcall</title><p>The panel is not built: npm run build'
    return reply.code(503).send(notBuilt)
  }
  // Behind a proxy the panel may be below a path.
  const base = `${new URL(publicUrl).pathname.replace(/\/$/, '')}/`
  const nonce = randomBytes(16).toString('base64')
  reply.helmet({ contentSecurityPolicy: contentPolicy(nonce) })
  const links = screen === undefined ? [] : await linksFor(screen, document)
  return reply.send(
    document
      .replace('<base href="/" />', `<base href="${base}">`)
      .replace('nonce=""', `nonce="${nonce}"`)
      .replace('</head>', `${links.join('')}</head>`),
  )
}

type BuiltFile = { file: string; css?: string[]; imports?: string[] }

/** All files that a screen needs, so that they load together with the first scripts, not after them. */
async function linksFor({ module, asks = [] }: Screen, document: string): Promise<string[]> {
  // The page works without the manifest too: the scripts load the rest themselves.
  const list = await readFile(join(built, 'manifest.json'), 'utf8').catch(() => '{}')
  const manifest: Record<string, BuiltFile> = JSON.parse(list)
  const files = new Set<string>()
  const add = (name: string) => {
    const found = manifest[name]
    if (found === undefined || files.has(found.file)) return
    for (const file of [found.file, ...(found.css ?? [])]) files.add(file)
    found.imports?.forEach(add)
  }
  add(`src/screens/${module}`)
  return [
    ...[...files].filter((file) => !document.includes(file)).map(linkTo),
    ...['session', ...asks].map((path) => `<link rel="preload" as="fetch" crossorigin href="./panel/api/${path}">`),
  ]
}

function linkTo(file: string): string {
  return `<link rel="${file.endsWith('.css') ? 'stylesheet' : 'modulepreload'}" crossorigin href="./${file}">`
}
