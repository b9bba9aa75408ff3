import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { Refusal } from './errors.ts'

/** With a longer delay nobody is answered in time. */
const maxEventLoopDelayMs = 1_000
/** Of the heap that V8 may take. */
const maxHeapShare = 0.9
const checkMs = 1_000
const resolutionMs = 10
/** The longest that a timer takes. */
const neverMs = 2 ** 31 - 1

/** Refuses requests to this scope while the server stops or is overloaded. @throws Refusal */
export async function shedLoad(scope: FastifyInstance): Promise<void> {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  await scope.register(underPressure, {
    // The plugin's own sample asks for all of the process's memory too, which Linux reads from a file. Where connections
    // have taken every file descriptor that throws, and would end the process.
    sampleInterval: neverMs,
    healthCheckInterval: checkMs,
    async healthCheck() {
      const { used_heap_size: used, heap_size_limit: most } = getHeapStatistics()
      // After a start that blocked the loop nothing is measured yet: NaN is not more.
      const isLate = delays.mean / 1e6 - resolutionMs > maxEventLoopDelayMs
      delays.reset()
      return !isLate && used <= maxHeapShare * most
    },
    pressureHandler() {
      throw new Refusal('SERVICE_UNAVAILABLE')
    },
  })
}
