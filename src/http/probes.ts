// For machines that watch the service; nothing here is personal or needs a key.
import type { FastifyPluginAsync } from 'fastify'
import type { Metrics } from './metrics.ts'

type ProbesParts = {
  /** True while requests reach the database. A server that stops answers 503 before it is asked (`framework.ts`). */
  isReady(): boolean
  metrics: Pick<Metrics, 'contentType' | 'render'>
  /** Of several processes; empty if one of them does not answer. */
  metricsOfAll: (() => Promise<string>) | undefined
}

export function probes({ isReady, metrics, metricsOfAll = metrics.render }: ProbesParts): FastifyPluginAsync {
  return async (scope) => {
    scope.get('/healthz', async (_, reply) => reply.type('text/plain; charset=utf-8').send('ok\n'))
    scope.get('/readyz', async (_, reply) => {
      const ready = isReady()
      return reply
        .code(ready ? 200 : 503)
        .type('text/plain; charset=utf-8')
        .send(ready ? 'ready\n' : 'not ready: the database does not answer\n')
    })
    scope.get('/metrics', async (_, reply) => {
      const text = await metricsOfAll()
      // An empty 200 would look like a service without metrics.
      return reply
        .code(text === '' ? 503 : 200)
        .type(metrics.contentType)
        .send(text)
    })
  }
}
