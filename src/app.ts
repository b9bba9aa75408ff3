import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyPluginAsync } from 'fastify'
import { buildPasswordReset } from './access/password-reset.ts'
import { openProvider } from './access/provider.ts'
import { buildUsers, type Users } from './access/users.ts'
import { openConfigCache } from './campaigns/config-cache.ts'
import { removeDeletedCampaigns } from './campaigns/deleted.ts'
import type { Config } from './config.ts'
import { secondsOf } from './core/instant.ts'
import type { Site } from './core/offer.ts'
import { openTemplates } from './countdown/templates.ts'
import { type DispatcherParts, openDispatcher } from './events/dispatcher.ts'
import { buildEndpoints } from './events/endpoints.ts'
import { openSender } from './events/sender.ts'
import { openSlots } from './events/slots.ts'
import type { DeliveryEntry } from './history/deliveries.ts'
import { keepTidy, openHistory } from './history/history.ts'
import type { HistoryTable } from './history/table.ts'
import { conversionsApi } from './http/conversions/api.ts'
import { conversionsPath } from './http/conversions/schemas.ts'
import { eventsApi } from './http/events/api.ts'
import { eventsPath } from './http/events/schemas.ts'
import { closeAllMs, closeServer, newFastify } from './http/framework.ts'
import { openMetrics, type WebhookMetrics } from './http/metrics.ts'
import { oneAtATime } from './http/one-at-a-time.ts'
import { panel } from './http/panel/panel.ts'
import { openLimits } from './http/panel/rates-and-turns.ts'
import { probes } from './http/probes.ts'
import { publicApi } from './http/public/api.ts'
import { basePath } from './http/public/schemas.ts'
import { sendUndecodable, visitor } from './http/visitor/visitor.ts'
import { openCounting } from './leads/counting.ts'
import { buildLeads } from './leads/leads.ts'
import { buildVisitors } from './leads/visitors.ts'
import { atMostEvery, describeError, type Log } from './log.ts'
import { openMailer } from './mail/mailer.ts'
import type { Store } from './store/store.ts'

/** How often tries to sign in that no longer count are removed. */
const removeTriesMs = 30_000
/** How long storing history and counts may take once nobody is connected. */
const storeMs = 1_200

/** Requests to endpoints at a time. */
const mostInFlight = 64
/** Rounds that store their outcome at a time: one connection is left for all else that no request waits for. */
const mostStoring = 3

export type AppParts = {
  config: Omit<Config, 'database' | 'poolSize' | 'workers'>
  store: Store
  historyTable: HistoryTable
  log: Log
  /** Wall clock, milliseconds. */
  now(): number
  /** The metrics of all processes, if this is one of several. */
  metricsOfAll?(): Promise<string>
  /** One more surface: the demo's shop. */
  besides?: FastifyPluginAsync
}

export type App = {
  /** Resolves with the port once connections are accepted. */
  listen(): Promise<number>
  /** Stops accepting, answers what has arrived, and resolves within ten seconds. */
  close(): Promise<void>
}

/** The whole service: what the tests start is what ships. */
export function buildApp(parts: AppParts): App {
  const { config, store, historyTable, log, now } = parts
  const { rateLimitPerMinute, formRatePerMinute, historyDays, auditDays } = config
  const isHttps = config.publicUrl?.startsWith('https:') ?? false
  const app = newFastify({ isHttps, trustProxy: config.trustProxy, log, sendUndecodable })
  // A port that the system chooses is known once the server listens.
  const site: Site = { publicUrl: config.publicUrl ?? `http://localhost:${config.port}` }
  const configCache = openConfigCache(store)
  const shared = { store, configCache, log, now, site, rateLimitPerMinute }
  const metrics = openMetrics(app.server)
  const onHistoryLost = sayingSo(log, 'the request history', metrics.historyLost)
  const history = openHistory({ table: historyTable, days: historyDays, onLost: onHistoryLost, now })
  const counting = openCounting(store, sayingSo(log, 'counts', metrics.countsLost))
  const leads = buildLeads(store, configCache, counting.stepped)
  const templates = openTemplates(store.templates, () => secondsOf(now()))
  const building = oneAtATime()
  const webhooks = openWebhooks(parts, shared, metrics.webhooks)
  const visitors = buildVisitors(store, configCache, leads)
  const users = buildUsers(store)
  const mailer = openMailer(config.smtp)
  const endPurging = purgeNowAndThen(parts, users)

  app.register(probes({ isReady: store.isReady, metrics, metricsOfAll: parts.metricsOfAll }))
  app.register(publicApi({ ...shared, leads, history, counting, metrics }), { prefix: basePath })
  app.register(eventsApi({ ...shared, endpoints: webhooks.endpoints, counting }), { prefix: eventsPath })
  app.register(conversionsApi({ ...shared, counting }), { prefix: conversionsPath })
  app.register(visitor({ ...shared, visitors, templates, building, counting, formRatePerMinute }))
  app.register(
    panel({
      ...shared,
      leads,
      users,
      templates,
      endpoints: webhooks.endpoints,
      limits: openLimits(building),
      history: historyTable,
      historyDays,
      auditDays,
      passwordReset: buildPasswordReset(store),
      provider: config.oidc && openProvider(config.oidc),
      mailer,
    }),
  )
  if (parts.besides !== undefined) app.register(parts.besides)

  return {
    async listen() {
      // For `localhost` in small letters Fastify makes a server for each address, and our stop waits only for one.
      const host = config.host === 'localhost' ? 'LOCALHOST' : config.host
      await app.listen({ host, port: config.port })
      const { port } = app.server.address() as AddressInfo
      site.publicUrl = config.publicUrl ?? `http://localhost:${port}`
      return port
    },
    async close() {
      mailer.giveUpIn(closeAllMs)
      await Promise.all([closeServer(app).then(mailer.close), webhooks.close()])
      // Not before: a Test of an endpoint may still wait for what its server answers.
      await webhooks.closeSender()
      endPurging()
      const entriesStored = Promise.all([history.close(), webhooks.closeLog()])
      const closing = [entriesStored.then(historyTable.close), counting.close(), templates.close()]
      await Promise.race([Promise.allSettled(closing), sleep(storeMs)])
    },
  }
}

/**
 * Removes old tries to sign in, ended sessions and invitations, old audit entries and deleted campaigns, until the
 * returned function is called.
 */
function purgeNowAndThen({ config, store, now }: AppParts, users: Users): () => void {
  const removeTries = () => users.removeOldTries(secondsOf(now())).catch(() => {})
  const removing = setInterval(removeTries, removeTriesMs).unref()
  const purge = async (beforeMs: number, roundAtMs: number) => {
    const at = secondsOf(roundAtMs)
    await users.removeEnded(at)
    return store.audit.purge(secondsOf(beforeMs), at)
  }
  const endPurging = keepTidy({ purge }, config.auditDays, now)
  const endRemoving = removeDeletedCampaigns(store)
  return () => {
    clearInterval(removing)
    endPurging()
    endRemoving()
  }
}

const sayAgainMs = 600_000

/** Counts what is lost, and says in the log that something is. */
function sayingSo(log: Log, what: string, count: (lost: number) => void): (lost: number) => void {
  const say = atMostEvery(sayAgainMs, () => log.warn(`${what} cannot be stored: what is lost is counted on /metrics`))
  return (lost) => {
    count(lost)
    say()
  }
}

type Shared = Pick<DispatcherParts, 'configCache' | 'site'>

function openWebhooks({ config, store, historyTable, log, now }: AppParts, shared: Shared, metrics: WebhookMetrics) {
  const deliveries = openHistory<DeliveryEntry>({
    table: historyTable.deliveries,
    days: config.historyDays,
    onLost: sayingSo(log, 'the log of webhooks', metrics.logLost),
    now,
    // What waits longer in a burst grows old for V8, which collects that late: 40 MB more.
    batchSize: 500,
  })
  const sender = openSender(config.egress, (error) =>
    log.error('the thread that sends webhooks broke', { error: describeError(error) }),
  )
  // Of Tests too, but for those of the command line, which are in the log alone.
  const onTry = (entry: DeliveryEntry) => {
    metrics.tried(entry.cause ?? 'delivered')
    deliveries.record(entry)
  }
  const own = { ...shared, store, now, isOn: config.webhooks, sender, onTry }
  const dispatcher = openDispatcher({
    ...own,
    log,
    slots: openSlots(mostInFlight),
    storing: openSlots(mostStoring),
    onDropped: metrics.dropped,
    onWaiting: metrics.waits,
  })
  return {
    endpoints: buildEndpoints({
      ...own,
      deliveries: historyTable.deliveries,
      egress: config.egress,
      // Between two writes of its own a server has turns for others.
      leaveTurns: async () => {},
    }),
    close: dispatcher.close,
    closeSender: sender.close,
    closeLog: deliveries.close,
  }
}
