// How many requests are under way at a time, or rounds that store their outcome. A bad receiver holds up its own account
// alone, and so do rows that somebody has locked.
export type Slots = (accountId: number) => Promise<() => void>

/** Resolves when there is room, with what gives the room back; called again, that does nothing. */
export function openSlots(most: number): Slots {
  const used = new Map<number, number>()
  const waiting: { accountId: number; start(): void }[] = []
  let total = 0

  const usedBy = (accountId: number) => used.get(accountId) ?? 0
  // An account leaves as many free as it takes: alone it gets half, and if others hang, one is left for the next.
  const hasRoom = (accountId: number) => usedBy(accountId) < most - total

  function change(accountId: number, by: number): void {
    total += by
    const left = usedBy(accountId) + by
    if (left === 0) used.delete(accountId)
    else used.set(accountId, left)
  }

  function giveBack(accountId: number): void {
    change(accountId, -1)
    const next = waiting.findIndex((one) => hasRoom(one.accountId))
    if (next !== -1) waiting.splice(next, 1)[0]?.start()
  }

  return async (accountId) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const start = () => {
      change(accountId, 1)
      resolve()
    }
    if (hasRoom(accountId)) start()
    else waiting.push({ accountId, start })
    await promise
    let isHeld = true
    return () => {
      if (isHeld) giveBack(accountId)
      isHeld = false
    }
  }
}
