import type { Server } from 'node:net'
import { promisify } from 'node:util'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { zoneData } from '../core/mechanism/zone.ts'

export type Metrics = ReturnType<typeof openMetrics>
export type WebhookMetrics = Metrics['webhooks']

/** Numbers only, and labels from fixed lists: nothing here says who did something. */
export function openMetrics(server: Server) {
  const register = new Registry()
  const registers = [register]
  // One of several workers: the first process asks for it.
  AggregatorRegistry.setRegistries(register)
  collectDefaultMetrics({ register, prefix: 'lastcall_' })
  const requests = new Counter({
    name: 'lastcall_requests_total',
    help: 'Answered requests of the public API',
    labelNames: ['operation', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'lastcall_request_duration_seconds',
    help: 'Time from the headers of a request to the public API to its answer',
    labelNames: ['operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers,
  })
  const lost = new Counter({
    name: 'lastcall_history_lost_total',
    help: 'Entries of the request history that could not be stored',
    registers,
  })
  const lostCounts = new Counter({
    name: 'lastcall_counts_lost_total',
    help: 'Sign-ups, starts, clicks, opens and visits that could not be counted',
    registers,
  })
  new Gauge({
    name: 'lastcall_open_connections',
    help: 'Connections open now',
    registers,
    async collect() {
      this.set(await promisify(server.getConnections).call(server))
    },
  })
  const { version, source } = zoneData()
  new Gauge({
    name: 'lastcall_zone_data_info',
    help: 'The version of the zone data in use, as a label; always 1',
    labelNames: ['version', 'source'],
    registers,
    // Of several workers, as of one.
    aggregator: 'max',
  }).set({ version, source }, 1)

  return {
    requests,
    durations,
    historyLost: (count: number) => lost.inc(count),
    countsLost: (count: number) => lostCounts.inc(count),
    webhooks: webhookMetrics(registers),
    /** The text format of Prometheus. */
    render: () => register.metrics(),
    contentType: register.contentType,
  }
}

function webhookMetrics(registers: Registry[]) {
  const tries = new Counter({
    name: 'lastcall_webhook_tries_total',
    help: 'Requests to endpoints, by outcome',
    labelNames: ['outcome'],
    registers,
  })
  const dropped = new Counter({
    name: 'lastcall_webhook_dropped_total',
    help: 'Events that were too old to be sent',
    registers,
  })
  const lost = new Counter({
    name: 'lastcall_webhook_log_lost_total',
    help: 'Tries that could not be written to the log of deliveries',
    registers,
  })
  const waiting = new Gauge({
    name: 'lastcall_webhook_waiting',
    help: 'Events that are due and not yet sent',
    registers,
  })
  const oldest = new Gauge({
    name: 'lastcall_webhook_oldest_seconds',
    help: 'How long the oldest event has waited',
    registers,
    aggregator: 'max',
  })
  return {
    /** `outcome`: delivered, or why not. */
    tried: (outcome: string) => tries.inc({ outcome }),
    dropped: (count: number) => dropped.inc(count),
    /** Tries that could not be written to the log. */
    logLost: (count: number) => lost.inc(count),
    /** Events that are due, counted to 10,001 for an endpoint, and the seconds that the oldest has waited. */
    waits(count: number, oldestSeconds: number): void {
      waiting.set(count)
      oldest.set(oldestSeconds)
    },
  }
}
