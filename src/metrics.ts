import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = {
  /** Counts one answered request of the public API; `seconds` from its headers to its answer. */
  observe(operation: string | null, status: number, seconds: number): void
  historyLost(count: number): void
  /** The text format of Prometheus. */
  render(): Promise<string>
  contentType: string
}

type Series = { requests: Map<number, Counter.Internal>; duration: Histogram.Internal<'operation'> }

/** Numbers only, and labels from fixed lists: nothing here says who did something. */
export function openMetrics(openConnections: () => number): Metrics {
  const register = new Registry()
  collectDefaultMetrics({ register, prefix: 'lastcall_' })
  const requests = new Counter({
    name: 'lastcall_requests_total',
    help: 'Answered requests of the public API',
    labelNames: ['operation', 'status'],
    registers: [register],
  })
  const duration = new Histogram({
    name: 'lastcall_request_duration_seconds',
    help: 'Time from the headers of a request of the public API to its answer',
    labelNames: ['operation'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [register],
  })
  const lost = new Counter({
    name: 'lastcall_history_lost_total',
    help: 'Entries of the request history that could not be stored',
    registers: [register],
  })
  new Gauge({
    name: 'lastcall_open_connections',
    help: 'Connections open now',
    registers: [register],
    collect() {
      this.set(openConnections())
    },
  })

  // Looking a label set up costs more than counting: each series is looked up once.
  const series = new Map<string | null, Series>()
  function seriesOf(operation: string | null): Series {
    let found = series.get(operation)
    if (found === undefined) {
      found = { requests: new Map(), duration: duration.labels({ operation: operation ?? 'none' }) }
      series.set(operation, found)
    }
    return found
  }

  return {
    observe(operation, status, seconds) {
      const found = seriesOf(operation)
      let counter = found.requests.get(status)
      if (counter === undefined) {
        counter = requests.labels({ operation: operation ?? 'none', status: String(status) })
        found.requests.set(status, counter)
      }
      counter.inc()
      found.duration.observe(seconds)
    },
    historyLost: (count) => lost.inc(count),
    render: () => register.metrics(),
    contentType: register.contentType,
  }
}
