// For machines that watch the service; nothing here is personal or needs a key.
import type { FastifyPluginAsync } from 'fastify'

type OperationsParts = {
  /** True while requests reach the database, and the server is not about to stop. */
  isReady(): boolean
  /** Empty if one of several processes does not answer. */
  metrics(): Promise<string>
  metricsType: string
}

export function operations({ isReady, metrics, metricsType }: OperationsParts): FastifyPluginAsync {
  return async (scope) => {
    scope.get('/healthz', async (_, reply) => reply.type('text/plain; charset=utf-8').send('ok\n'))
    scope.get('/readyz', async (_, reply) => {
      const ready = isReady()
      return reply
        .code(ready ? 200 : 503)
        .type('text/plain; charset=utf-8')
        .send(ready ? 'ready\n' : 'not ready: stopping, or the database does not answer\n')
    })
    scope.get('/metrics', async (_, reply) => {
      const text = await metrics()
      // An empty 200 would look like a service without metrics.
      return reply
        .code(text === '' ? 503 : 200)
        .type(metricsType)
        .send(text)
    })
  }
}
