import { getHeapStatistics } from 'node:v8'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { Refusal } from './errors.ts'

/** Behind such a delay nobody is answered in time any more. */
const maxEventLoopDelayMs = 1_000
/** For so long after the start the measured delay may be that of the start. */
const startMs = 3_000
/** Of the heap that V8 may take. */
const maxHeapShare = 0.9

/** Refuses what comes to this scope while the server stops, or has more to do than it can. @throws Refusal */
export async function shedLoad(scope: FastifyInstance, isStopping: () => boolean): Promise<void> {
  const refuse = () => {
    throw new Refusal('SERVICE_UNAVAILABLE')
  }
  let countsFromMs = Number.POSITIVE_INFINITY
  scope.addHook('onListen', async () => {
    countsFromMs = performance.now() + startMs
  })
  await scope.register(underPressure, {
    maxEventLoopDelay: maxEventLoopDelayMs,
    maxHeapUsedBytes: maxHeapShare * getHeapStatistics().heap_size_limit,
    // The start itself, which holds the event loop up, is no reason to refuse the first requests.
    pressureHandler: () => (performance.now() < countsFromMs ? undefined : refuse()),
  })
  scope.addHook('onRequest', async () => {
    if (isStopping()) refuse()
  })
}
