// Limits how many requests are under way at a time, and how many rounds store their outcome. A bad receiver, or rows that
// somebody has locked, hold up no other account and, if it has no second such endpoint, no other endpoint of its own.
import type { EndpointOf } from '../store/events/endpoint.ts'

export type Slots = (of: EndpointOf) => Promise<() => void>

/** Resolves when there is room, with what gives the room back; called again, that does nothing. */
export function openSlots(most: number): Slots {
  const [ofAccounts, ofEndpoints] = [new Map<number, number>(), new Map<number, number>()]
  const waiting: { of: EndpointOf; start(): void }[] = []
  let total = 0

  // An account leaves as many free as it takes: alone it gets half, and if others hang, one is left for the next. The last
  // one that it may take is for an endpoint that has none.
  function hasRoom(of: EndpointOf): boolean {
    const left = most - total - (ofAccounts.get(of.accountId) ?? 0)
    return ofEndpoints.has(of.id) ? left > 2 : left > 0
  }

  function change({ accountId, id }: EndpointOf, by: number): void {
    total += by
    add(ofAccounts, accountId, by)
    add(ofEndpoints, id, by)
  }

  function giveBack(of: EndpointOf): void {
    change(of, -1)
    const next = waiting.findIndex((one) => hasRoom(one.of))
    if (next !== -1) waiting.splice(next, 1)[0]?.start()
  }

  return async (of) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const start = () => {
      change(of, 1)
      resolve()
    }
    if (hasRoom(of)) start()
    else waiting.push({ of, start })
    await promise
    let isHeld = true
    return () => {
      if (isHeld) giveBack(of)
      isHeld = false
    }
  }
}

function add(counts: Map<number, number>, id: number, by: number): void {
  const left = (counts.get(id) ?? 0) + by
  if (left === 0) counts.delete(id)
  else counts.set(id, left)
}
