import { getHeapStatistics } from 'node:v8'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { Refusal } from './errors.ts'

/** Behind such a delay nobody is answered in time any more. */
const maxEventLoopDelayMs = 1_000
/** Of the heap that V8 may take. */
const maxHeapShare = 0.9

/** Refuses what comes to this scope while the server stops, or has more to do than it can. @throws Refusal */
export async function shedLoad(scope: FastifyInstance, isStopping: () => boolean): Promise<void> {
  const refuse = () => {
    throw new Refusal('SERVICE_UNAVAILABLE')
  }
  await scope.register(underPressure, {
    maxEventLoopDelay: maxEventLoopDelayMs,
    maxHeapUsedBytes: maxHeapShare * getHeapStatistics().heap_size_limit,
    // A start that held the loop up leaves its first second without a measurement, which is told as endless.
    pressureHandler: (_request, _reply, _type, value) => {
      if (value !== Number.POSITIVE_INFINITY) refuse()
    },
  })
  scope.addHook('onRequest', async () => {
    if (isStopping()) refuse()
  })
}
