import { getHeapStatistics } from 'node:v8'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { Refusal } from './errors.ts'

/** With a longer delay nobody is answered in time. */
const maxEventLoopDelayMs = 1_000
/** Of the heap that V8 may take. */
const maxHeapShare = 0.9

/** Refuses requests to this scope while the server stops or is overloaded. @throws Refusal */
export async function shedLoad(scope: FastifyInstance): Promise<void> {
  await scope.register(underPressure, {
    maxEventLoopDelay: maxEventLoopDelayMs,
    maxHeapUsedBytes: maxHeapShare * getHeapStatistics().heap_size_limit,
    // After a start that blocked the loop the first second has no measurement, and the plugin reports infinity.
    pressureHandler: (_request, _reply, _type, value) => {
      if (value !== Number.POSITIVE_INFINITY) throw new Refusal('SERVICE_UNAVAILABLE')
    },
  })
}
