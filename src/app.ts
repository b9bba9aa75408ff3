import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { openKeyUses } from './access/key-use.ts'
import { buildUsers } from './access/users.ts'
import { openConfigCache } from './campaigns/config-cache.ts'
import { persistentCache } from './campaigns/persistent-cache.ts'
import type { Config } from './config.ts'
import { openTemplates } from './countdown/templates.ts'
import { openHistory } from './history/history.ts'
import type { HistoryTable } from './history/table.ts'
import { type Exchange, send } from './http/exchange.ts'
import { openMetrics } from './http/metrics.ts'
import { buildPanel } from './http/panel/panel.ts'
import { buildPublicApi } from './http/public/api.ts'
import { errorBody } from './http/public/reply.ts'
import { basePath } from './http/public/request.ts'
import { buildServer } from './http/server.ts'
import { buildVisitorSurface } from './http/visitor/visitor.ts'
import { openCounting } from './leads/counting.ts'
import { buildLeads } from './leads/leads.ts'
import { describeError, type Log } from './log.ts'
import type { Store } from './store/store.ts'

// Some processes, without anything else being different, spent half as much again on every request, in the threads
// that collect garbage: 3 of 6 as V8 comes, none of 14 with this. V8 guesses early which objects will live long, and
// at the start all requests of a turn seem to.
setFlagsFromString('--no-allocation-site-pretenuring')

/** How long what is written behind the answers may take to be stored when no more come: draining took eight seconds. */
const closeMs = 1_200

export type AppParts = {
  config: Pick<
    Config,
    'host' | 'port' | 'publicUrl' | 'rateLimitPerMinute' | 'trustProxy' | 'formRatePerMinute' | 'historyDays'
  >
  store: Store
  historyTable: HistoryTable
  log: Log
  /** Wall clock, milliseconds. */
  now(): number
  /** The metrics of all processes, where this is one of several. */
  metricsOfAll?(): Promise<string>
  /** Answers what else this process serves, and says whether it has. */
  besides?(exchange: Exchange, path: string): boolean
}

export type App = {
  /** Resolves with the port once connections are accepted. */
  listen(): Promise<number>
  /** Stops accepting, answers what has arrived, and resolves within ten seconds. */
  drain(): Promise<void>
}

/** The whole service: what the tests start is what ships. */
export function buildApp(parts: AppParts): App {
  const { config, store, historyTable, log, now, metricsOfAll, besides } = parts
  const metrics = openMetrics(() => server.openConnections())
  const history = openHistory({
    table: historyTable,
    days: config.historyDays,
    onLost: metrics.historyLost,
  })
  const keyUses = openKeyUses(store)
  const known = openConfigCache(store)
  let port = config.port
  const publicUrl = () => config.publicUrl ?? `http://localhost:${port}`

  const counting = openCounting(store, metrics.countsLost)
  const leads = buildLeads(store, known, (campaign, at) => counting.registered(campaign, at))

  const publicApi = buildPublicApi({
    store,
    configCache: known,
    leads,
    rates: store.rates,
    history,
    keyUses,
    metrics,
    log,
    now,
    publicUrl,
    rateLimitPerMinute: config.rateLimitPerMinute,
  })

  /** For machines that watch the service; nothing here is personal or needs a key. */
  const operations: Record<string, (exchange: Exchange) => void> = {
    '/healthz': (exchange) => text(exchange, 200, 'ok\n'),
    '/readyz': (exchange) => {
      const ready = store.isReady()
      text(exchange, ready ? 200 : 503, ready ? 'ready\n' : 'the database does not answer\n')
    },
    '/metrics': async (exchange) =>
      text(exchange, 200, await (metricsOfAll ?? metrics.render)(), metrics.contentType),
  }

  const templates = openTemplates(persistentCache(store, () => Math.floor(now() / 1_000)))
  const visitorSurface = buildVisitorSurface({
    store,
    configCache: known,
    leads,
    templates,
    counting,
    proxies: config.trustProxy,
    formRatePerMinute: config.formRatePerMinute,
    onDefect: (error, exchange) =>
      log.error('a request failed', {
        ...(exchange && { requestId: exchange.requestId }),
        error: describeError(error),
      }),
    now,
  })

  const panel = buildPanel({
    store,
    configCache: known,
    leads,
    users: buildUsers(store),
    templates,
    rateLimitPerMinute: config.rateLimitPerMinute,
    history: historyTable,
    historyDays: config.historyDays,
    publicUrl,
    proxies: config.trustProxy,
    onDefect: (error, { requestId }) =>
      log.error('a request failed', { requestId, error: describeError(error) }),
    now,
  })

  function handle(exchange: Exchange): void {
    const { method, url } = exchange.req
    const { path, query } = splitTarget(url as string)
    // Recipients get an answer of their own kind while the server stops: mail proxies keep errors for weeks.
    if (visitorSurface(exchange, path) || besides?.(exchange, path)) return
    const isOfApi = path === basePath || path.startsWith(`${basePath}/`)
    const operation = method === 'GET' || method === 'HEAD' ? operations[path] : undefined
    if (!isOfApi && operation === undefined && panel(exchange, path, query)) return
    // Whoever watches the service may see how it is while there is too much.
    const isRefused = exchange.refused === 'late' || (exchange.refused && operation === undefined)
    if (isRefused) error(exchange, 503, 'SERVICE_UNAVAILABLE')
    else if (isOfApi) publicApi(exchange, path, query)
    else if (operation !== undefined) operation(exchange)
    else error(exchange, 404, 'NOT_FOUND')
  }

  const server = buildServer({
    handle,
    onDefect: (error) => log.error('a request failed', { error: describeError(error) }),
    now,
  })

  return {
    async listen() {
      port = await server.listen(config.host, config.port)
      return port
    },
    async drain() {
      await server.drain()
      const closing = [history.close(), keyUses.close(), counting.close(), templates.close()]
      await Promise.race([Promise.allSettled(closing), sleep(closeMs)])
    },
  }
}

/** The target of a request line in origin-form or absolute-form (RFC 9112, section 3.2). */
function splitTarget(target: string): { path: string; query: string } {
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?]*/i, '')
  const mark = origin.indexOf('?')
  if (mark === -1) return { path: origin, query: '' }
  return { path: origin.slice(0, mark), query: origin.slice(mark + 1) }
}

function text(exchange: Exchange, status: number, body: string, type = 'text/plain; charset=utf-8'): void {
  send(exchange, status, [...everyAnswer(exchange), 'Content-Type', type], body)
}

function error(exchange: Exchange, status: number, code: 'NOT_FOUND' | 'SERVICE_UNAVAILABLE'): void {
  const headers = [...everyAnswer(exchange), 'Content-Type', 'application/json']
  send(exchange, status, headers, errorBody(exchange, code))
}

function everyAnswer(exchange: Exchange): string[] {
  return ['X-Request-Id', exchange.requestId, 'Cache-Control', 'no-store']
}
