// The customer's panel: its pages, and the API behind a session that they call.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TSchema } from 'typebox'
import { TooBusy } from '../../access/passwords.ts'
import { isEmail } from '../../core/email.ts'
import type { Fault } from '../../core/fault.ts'
import type { Session } from '../../store/access.ts'
import { StoreUnavailable } from '../../store/errors.ts'
import { type BodyFailure, type Exchange, readBody, send } from '../exchange.ts'
import { addressOf, type Proxies } from '../visitor/address.ts'
import { type PanelErrorBody, PanelRefusal, panelErrorStatus } from './errors.ts'
import { isForeign } from './origin.ts'
import { sendPage } from './pages.ts'
import { type Asked, numberNames, type PanelParts, type Route } from './route.ts'
import { routes } from './routes.ts'
import { readSessionCookie, sessionCookie } from './session-cookie.ts'

export const panelApiPath = '/panel/api'

export type PanelSurface = PanelParts & {
  proxies: Proxies
  onDefect(error: unknown, exchange: Exchange): void
  /** Wall clock, milliseconds. */
  now(): number
}

const ajv = new Ajv2020({ strict: true, strictTypes: false, allErrors: true, formats: { email: isEmail } })

/** A route that can be compared with a request. */
type Prepared = {
  route: Route
  method: string
  segments: string[]
  checkQuery: ValidateFunction | undefined
  checkBody: ValidateFunction | undefined
}

const prepared: Prepared[] = Object.values(routes).map((route) => {
  const [method = '', path = ''] = route.path.split(' ')
  return {
    route: route as Route,
    method,
    segments: path.split('/'),
    checkQuery: check(route.query),
    checkBody: check(route.body),
  }
})

function check(schema: TSchema | undefined): ValidateFunction | undefined {
  return schema && ajv.compile(schema)
}

/** Answers an exchange whose path is the panel's, and says whether it is. */
export function buildPanel(
  surface: PanelSurface,
): (exchange: Exchange, path: string, query: string) => boolean {
  const isSecure = () => surface.publicUrl().startsWith('https:')

  async function answer(exchange: Exchange, path: string, query: string): Promise<void> {
    const { req } = exchange
    const found = find(req.method as string, path)
    if (found === undefined) throw new PanelRefusal('NOT_FOUND')
    if (isForeign(req, surface.publicUrl())) throw new PanelRefusal('FOREIGN_ORIGIN')
    const { route, checkQuery, checkBody, params } = found
    const now = Math.floor(surface.now() / 1_000)
    const token = readSessionCookie(req, isSecure())
    const session = token === '' ? undefined : await surface.users.session(token, now)
    assertAccess(route, session)
    const body = await bodyOf(exchange, route)
    const cookies: string[] = []
    const asked: Asked<string, unknown, unknown, Session | undefined> = {
      parts: surface,
      params,
      query: valid(Object.fromEntries(new URLSearchParams(query)), checkQuery),
      body: valid(body, checkBody),
      session,
      token,
      address: addressOf(req, surface.proxies),
      now,
      setSession: (next) => cookies.push('Set-Cookie', sessionCookie(next, isSecure())),
    }
    const said = await route.run(asked)
    send(exchange, 200, [...everyAnswer(exchange), ...cookies], JSON.stringify(said))
  }

  return (exchange, path, query) => {
    const { method } = exchange.req
    if (path !== panelApiPath && !path.startsWith(`${panelApiPath}/`)) {
      const reads = method === 'GET' || method === 'HEAD'
      return reads && !exchange.refused && sendPage(exchange, path, surface.publicUrl())
    }
    const isStopping = exchange.refused ? Promise.reject(new PanelRefusal('SERVICE_UNAVAILABLE')) : undefined
    const answered = isStopping ?? answer(exchange, path.slice(panelApiPath.length), query)
    answered.catch((error) => {
      const refusal = refusalOf(error)
      if (refusal.code === 'INTERNAL_ERROR') surface.onDefect(error, exchange)
      sendRefusal(exchange, refusal)
    })
    return true
  }
}

function find(
  method: string,
  path: string,
): (Prepared & { params: Asked<string, any, any, any>['params'] }) | undefined {
  const given = path.split('/')
  const ways = prepared.filter((way) => way.method === method && way.segments.length === given.length)
  for (const way of ways) {
    const params = paramsOf(way.segments, given)
    if (params !== undefined) return { ...way, params }
  }
  return undefined
}

/** What stands for the names of the pattern, if the path fits it. */
function paramsOf(pattern: string[], given: string[]): Record<string, never> | undefined {
  const params: Record<string, string | number> = {}
  for (const [index, segment] of pattern.entries()) {
    const text = given[index] as string
    if (!segment.startsWith(':')) {
      if (segment !== text) return undefined
      continue
    }
    const name = segment.slice(1)
    const value = numberNames.includes(name) ? idOf(text) : decoded(text)
    if (value === undefined) return undefined
    params[name] = value
  }
  return params as Record<string, never>
}

function idOf(text: string): number | undefined {
  return /^[1-9][0-9]{0,15}$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** @throws PanelRefusal */
function assertAccess({ access, path }: Route, session: Session | undefined): void {
  if (access === 'anybody') return
  if (session === undefined) throw new PanelRefusal('SIGNED_OUT')
  const reads = access === 'reader' || path.startsWith('GET ')
  if (session.account.suspended && !reads) throw new PanelRefusal('ACCOUNT_SUSPENDED')
}

async function bodyOf(exchange: Exchange, { body, bodyLimit }: Route): Promise<unknown> {
  if (body === undefined) return undefined
  const bytes = await new Promise<Buffer | BodyFailure>((resolve) => readBody(exchange, bodyLimit, resolve))
  if (bytes === 'tooLarge') throw new PanelRefusal('PAYLOAD_TOO_LARGE')
  if (bytes === 'draining') throw new PanelRefusal('SERVICE_UNAVAILABLE')
  if (bytes === 'incomplete') throw new PanelRefusal('INVALID_JSON')
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new PanelRefusal('INVALID_JSON')
  }
}

/** @throws PanelRefusal with every fault, by its path */
function valid(value: unknown, validate: ValidateFunction | undefined): unknown {
  if (validate === undefined || validate(value)) return value
  const faults = (validate.errors ?? []).map(({ instancePath, message, params }): Fault => {
    const place = instancePath.slice(1).replaceAll('/', '.')
    const path = params.missingProperty ?? params.additionalProperty ?? place
    return { path, message: message ?? 'is not valid' }
  })
  throw new PanelRefusal('INVALID', faults)
}

function refusalOf(error: unknown): PanelRefusal {
  if (error instanceof PanelRefusal) return error
  const isBusy = error instanceof StoreUnavailable || error instanceof TooBusy
  return new PanelRefusal(isBusy ? 'SERVICE_UNAVAILABLE' : 'INTERNAL_ERROR')
}

function sendRefusal(exchange: Exchange, { code, faults, retryAfterSeconds }: PanelRefusal): void {
  const body: PanelErrorBody = { code, requestId: exchange.requestId, faults, retryAfterSeconds }
  const retry = retryAfterSeconds === null ? [] : ['Retry-After', String(retryAfterSeconds)]
  send(exchange, panelErrorStatus[code], [...everyAnswer(exchange), ...retry], JSON.stringify(body))
}

function everyAnswer({ requestId }: Exchange): string[] {
  return [
    ...['Content-Type', 'application/json', 'Cache-Control', 'no-store', 'X-Request-Id', requestId],
    ...['X-Content-Type-Options', 'nosniff', 'Referrer-Policy', 'no-referrer'],
  ]
}
