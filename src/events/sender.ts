// Hands requests to a separate thread, so that signing and sending hold up no answers.
import type { Worker } from 'node:worker_threads'
import type { TryCause } from '../core/events.ts'
import { startThread } from '../threads/start.ts'
import type { Egress } from './egress.ts'

/** `secrets` sign, the newest first. */
export type Delivery = { id: string; url: string; body: string; at: number; secrets: readonly string[] }

/** `cause` is null for 2xx. `retryAfterSeconds` as the server asked for it. */
export type Try = {
  status: number | null
  cause: TryCause | null
  milliseconds: number
  retryAfterSeconds: number | null
}

export type Sender = {
  send(delivery: Delivery): Promise<Try>
  close(): Promise<void>
}

/** By default V8 lets garbage take three times as much before it collects it. */
const resourceLimits = { maxYoungGenerationSizeMb: 16 }

/** Messages to the thread and back. */
export type Sending = Delivery & { number: number }
export type Sent = Try & { number: number }

/** Hands over what came in one turn of the event loop together: a message costs as much as ten more in it. */
export function gathered<Item>(handOn: (items: Item[]) => void): (item: Item) => void {
  let items: Item[] = []
  return (item) => {
    if (items.push(item) > 1) return
    setImmediate(() => {
      const those = items
      items = []
      handOn(those)
    })
  }
}

/** A thread that starts with the first request, and again after it has broken, which `onBroken` hears of. */
export function openSender(egress: Egress, onBroken: (error: unknown) => void = () => {}): Sender {
  const waiting = new Map<number, (result: Try) => void>()
  let lastNumber = 0
  let worker: Worker | undefined
  const hand = gathered((those: Sending[]) => worker?.postMessage(those))

  function start(): Worker {
    const started = startThread(new URL('./sender-thread.ts', import.meta.url), { workerData: egress, resourceLimits })
    started.on('message', (those: Sent[]) => {
      for (const { number, ...result } of those) {
        waiting.get(number)?.(result)
        waiting.delete(number)
      }
    })
    started.on('error', onBroken)
    started.on('exit', () => {
      if (worker === started) worker = undefined
      // It is not their servers' fault, but nobody knows what they got: they are sent again as after a time-out.
      for (const resolve of waiting.values()) {
        resolve({ status: null, cause: 'timeout', milliseconds: 0, retryAfterSeconds: null })
      }
      waiting.clear()
    })
    return started
  }

  return {
    send(delivery) {
      worker ??= start()
      lastNumber += 1
      hand({ ...delivery, number: lastNumber })
      const { promise, resolve } = Promise.withResolvers<Try>()
      waiting.set(lastNumber, resolve)
      return promise
    },
    close: async () => void (await worker?.terminate()),
  }
}
