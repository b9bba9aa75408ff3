import { setTimeout as sleep } from 'node:timers/promises'

const workMs = 50
/** Longer than the ten milliseconds after which a server looks for the lock again. */
const pauseMs = 15

/**
 * For commands that write much: called between writes, it pauses now and then. Without pauses the command holds the lock
 * of an embedded database nearly all the time, and registrations at a server beside it get 503.
 */
export function leavingTurns(): () => Promise<void> {
  let begunAt = performance.now()
  return async () => {
    if (performance.now() - begunAt < workMs) return
    await sleep(pauseMs)
    begunAt = performance.now()
  }
}
