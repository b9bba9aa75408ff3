import { setTimeout as sleep } from 'node:timers/promises'

const workMs = 50
/** Longer than the ten milliseconds after which a server looks for the lock again. */
const pauseMs = 15

/**
 * To be called between many writes: it pauses now and then. Who goes on at once holds the lock of an embedded database
 * nearly all the time, and a server beside it would wait so long for its turn that registrations get 503.
 */
export function leavingTurns(): () => Promise<void> {
  let begunAt = performance.now()
  return async () => {
    if (performance.now() - begunAt < workMs) return
    await sleep(pauseMs)
    begunAt = performance.now()
  }
}
