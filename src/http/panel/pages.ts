// The panel's pages as Vite built them: one document for every screen, and files whose names hold their content.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, resolve } from 'node:path'
import { type Exchange, send } from '../exchange.ts'

const built = resolve(import.meta.dirname, '../../../panel/dist')

/** The first part of the address of each screen; what the panel's router has, and nothing more. */
export const screens = ['', 'sign-in', 'setup', 'join', 'campaigns', 'integrations', 'settings']

const types: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  // Mantine writes its variables into a style element, and React styles into attributes.
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')

const everyFile = ['X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer']

type Asset = {
  type: string
  plain: Uint8Array
  gzip: Uint8Array | undefined
  br: Uint8Array | undefined
}
const assets = new Map<string, Asset>()

/** Answers with the document of a screen or with a file, and says whether there is one. */
export function sendPage(exchange: Exchange, path: string, publicUrl: string): boolean {
  if (screens.includes(path.split('/')[1] ?? '') && wantsPage(exchange, path))
    sendDocument(exchange, publicUrl)
  else if (path.startsWith('/panel/assets/')) return sendAsset(exchange, path.slice('/panel/assets/'.length))
  else return false
  return true
}

/** Programs get the contract's 404 where people get a screen (contract, "Paths outside it"). */
function wantsPage({ req }: Exchange, path: string): boolean {
  const accepted = req.headers.accept ?? ''
  return accepted.includes('text/html') || (path === '/' && accepted.includes('*/*'))
}

function sendDocument(exchange: Exchange, publicUrl: string): void {
  const headers = [
    ...['Content-Type', 'text/html; charset=utf-8', 'Cache-Control', 'no-cache', ...everyFile],
    ...['Content-Security-Policy', policy, 'X-Frame-Options', 'DENY'],
  ]
  const file = join(built, 'index.html')
  if (!existsSync(file)) {
    send(
      exchange,
      503,
      headers,
      '<!doctype html><title>Lastcall</title><p>The panel is not built: npm run build',
    )
    return
  }
  // Behind a proxy the panel may stand below a path.
  const base = `${new URL(publicUrl).pathname.replace(/\/$/, '')}/`
  send(
    exchange,
    200,
    headers,
    readFileSync(file, 'utf8').replace('<base href="/" />', `<base href="${base}">`),
  )
}

function sendAsset(exchange: Exchange, name: string): boolean {
  const asset = assets.get(name) ?? load(name)
  if (asset === undefined) return false
  const accepted = String(exchange.req.headers['accept-encoding'] ?? '')
  const headers = [
    ...['Content-Type', asset.type, 'Cache-Control', 'public, max-age=31536000, immutable'],
    ...['Vary', 'Accept-Encoding', ...everyFile],
  ]
  if (asset.br !== undefined && /\bbr\b/.test(accepted)) {
    send(exchange, 200, [...headers, 'Content-Encoding', 'br'], asset.br)
  } else if (asset.gzip !== undefined && /\bgzip\b/.test(accepted)) {
    send(exchange, 200, [...headers, 'Content-Encoding', 'gzip'], asset.gzip)
  } else send(exchange, 200, headers, asset.plain)
  return true
}

/** Only names that the build made are looked up. It compresses what is text. */
function load(file: string): Asset | undefined {
  const folder = join(built, 'panel', 'assets')
  const type = types[extname(file)]
  if (type === undefined || !existsSync(folder)) return undefined
  const names = readdirSync(folder)
  if (!names.includes(file)) return undefined
  const plain = readFileSync(join(folder, file))
  const compressed = (coding: string) =>
    names.includes(`${file}.${coding}`) ? readFileSync(join(folder, `${file}.${coding}`)) : undefined
  const asset = { type, plain, gzip: compressed('gz'), br: compressed('br') }
  assets.set(file, asset)
  return asset
}
