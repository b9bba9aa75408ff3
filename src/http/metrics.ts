import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'

export type Metrics = {
  /** Counts one answered request of the public API; `seconds` from its headers to its answer. */
  observe(operation: string | null, status: number, seconds: number): void
  historyLost(count: number): void
  countsLost(count: number): void
  /** The text format of Prometheus. */
  render(): Promise<string>
  contentType: string
}

/** Upper ends of the histogram's buckets, in seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]

/** What was counted of one operation: by status, by bucket (the last one has no bound), and in all. */
type Series = { statuses: Float64Array; buckets: Float64Array; seconds: Float64Array }

/** Numbers only, and labels from fixed lists: nothing here says who did something. */
export function openMetrics(openConnections: () => number): Metrics {
  const register = new Registry()
  // Where this is one of several workers, the first process asks for it.
  AggregatorRegistry.setRegistries(register)
  collectDefaultMetrics({ register, prefix: 'lastcall_' })
  // What prom-client does for each label and bucket showed in every request: they are counted in plain
  // numbers, and it gets to see them when it is asked.
  const series = new Map<string | null, Series>()
  new Counter({
    name: 'lastcall_requests_total',
    help: 'Answered requests of the public API',
    labelNames: ['operation', 'status'],
    registers: [register],
    collect() {
      this.reset()
      for (const [operation, { statuses }] of series) {
        for (const [status, count] of statuses.entries()) {
          if (count > 0) this.inc({ operation: operation ?? 'none', status: String(status) }, count)
        }
      }
    },
  })
  register.registerMetric(durationHistogram(series))
  const lost = new Counter({
    name: 'lastcall_history_lost_total',
    help: 'Entries of the request history that could not be stored',
    registers: [register],
  })
  const lostCounts = new Counter({
    name: 'lastcall_counts_lost_total',
    help: 'Clicks, opens and visits that could not be counted',
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

  return {
    observe(operation, status, seconds) {
      let found = series.get(operation)
      if (found === undefined) {
        found = emptySeries()
        series.set(operation, found)
      }
      const { statuses, buckets } = found
      let bucket = 0
      while (bucket < bounds.length && seconds > (bounds[bucket] as number)) bucket += 1
      statuses[status] = (statuses[status] as number) + 1
      buckets[bucket] = (buckets[bucket] as number) + 1
      found.seconds[0] = (found.seconds[0] as number) + seconds
    },
    historyLost: (count) => lost.inc(count),
    countsLost: (count) => lostCounts.inc(count),
    render: () => register.metrics(),
    contentType: register.contentType,
  }
}

function emptySeries(): Series {
  return {
    statuses: new Float64Array(600),
    buckets: new Float64Array(bounds.length + 1),
    seconds: new Float64Array(1),
  }
}

/** The series as a metric of prom-client, which writes down what `get` gives it. */
function durationHistogram(series: Map<string | null, Series>): Metric {
  const name = 'lastcall_request_duration_seconds'
  const valuesOf = ([operation, { buckets, seconds }]: [string | null, Series]) => {
    const labels = { operation: operation ?? 'none' }
    let count = 0
    const cumulative = [...buckets].map((inBucket, index) => {
      count += inBucket
      return {
        metricName: `${name}_bucket`,
        labels: { le: bounds[index] ?? '+Inf', ...labels },
        value: count,
      }
    })
    return [
      ...cumulative,
      { metricName: `${name}_sum`, labels, value: seconds[0] },
      { metricName: `${name}_count`, labels, value: count },
    ]
  }
  return {
    name,
    get: async () => ({
      name,
      help: 'Time from the headers of a request of the public API to its answer',
      type: 'histogram',
      aggregator: 'sum',
      values: [...series].flatMap(valuesOf),
    }),
  } as unknown as Metric
}
