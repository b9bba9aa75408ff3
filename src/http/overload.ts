import { monitorEventLoopDelay } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import underPressure from '@fastify/under-pressure'
import type { FastifyInstance } from 'fastify'
import { Refusal } from './errors.ts'

/** A longer delay means that nobody is answered in time. */
const maxEventLoopDelayMs = 1_000
/** Of the heap that V8 may take. */
const maxHeapShare = 0.9
const checkMs = 1_000
const resolutionMs = 10
/** The longest that a timer takes. */
const neverMs = 2 ** 31 - 1

/** Refuses requests to this scope while the process is overloaded. @throws Refusal */
export async function shedLoad(scope: FastifyInstance): Promise<void> {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  await scope.register(underPressure, {
    // The plugin's own sample also reads the process's memory from a file of Linux. That throws when connections have
    // taken every file descriptor, and would end the process.
    sampleInterval: neverMs,
    healthCheckInterval: checkMs,
    async healthCheck() {
      const { used_heap_size: used, heap_size_limit: most } = getHeapStatistics()
      // Right after the start nothing is measured yet: NaN is not greater.
      const isLate = delays.mean / 1e6 - resolutionMs > maxEventLoopDelayMs
      delays.reset()
      return !isLate && used <= maxHeapShare * most
    },
    pressureHandler() {
      throw new Refusal('SERVICE_UNAVAILABLE')
    },
  })
}
