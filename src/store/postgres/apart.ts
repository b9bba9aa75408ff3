// Accounts whose rows somebody else has locked ask apart from all others, so that nobody waits with them.

/** How long after its last lock an account is still believed to meet one. */
const believedMs = 2_000
/** Statements apart that are on their way at once, of which one may be of an account known to be locked. */
const concurrency = 2

type Group<Waiting> = { waiting: Waiting[]; isOnItsWay: boolean; lockedUntil: number }

export type Apart<Waiting> = {
  size(): number
  has(accountId: number): boolean
  /** `isLocked`: it has met a lock all by itself. */
  add(accountId: number, waiting: readonly Waiting[], isLocked?: boolean): void
  /** What waits of one account whose statement may start now, so many at most. */
  take(most: number): Waiting[] | undefined
  ended(accountId: number): void
  /** Takes out, and returns, whoever has waited since then or for longer. */
  takeLate(oldest: number): Waiting[]
}

export function newApart<Waiting extends { since: number }>(): Apart<Waiting> {
  const groups = new Map<number, Group<Waiting>>()
  let size = 0

  const isLocked = ({ lockedUntil }: Group<Waiting>) => lockedUntil > performance.now()

  function mayStart(group: Group<Waiting>, onTheirWay: Group<Waiting>[]): boolean {
    if (group.isOnItsWay || group.waiting.length === 0) return false
    return !isLocked(group) || !onTheirWay.some(isLocked)
  }

  function forget(): void {
    for (const [accountId, group] of groups) {
      if (!group.isOnItsWay && group.waiting.length === 0 && !isLocked(group)) groups.delete(accountId)
    }
  }

  return {
    size: () => size,
    has: (accountId) => groups.has(accountId),
    add(accountId, waiting, isLocked = false) {
      const group = groups.get(accountId) ?? { waiting: [], isOnItsWay: false, lockedUntil: 0 }
      group.waiting.push(...waiting)
      size += waiting.length
      if (isLocked) group.lockedUntil = performance.now() + believedMs
      // At the end: another account comes first.
      groups.delete(accountId)
      groups.set(accountId, group)
    },
    take(most) {
      forget()
      const onTheirWay = [...groups.values()].filter(({ isOnItsWay }) => isOnItsWay)
      if (onTheirWay.length >= concurrency) return undefined
      const group = groups.values().find((one) => mayStart(one, onTheirWay))
      if (group === undefined) return undefined
      group.isOnItsWay = true
      const taken = group.waiting.splice(0, most)
      size -= taken.length
      return taken
    },
    ended(accountId) {
      const group = groups.get(accountId)
      if (group !== undefined) group.isOnItsWay = false
    },
    takeLate(oldest) {
      const late: Waiting[] = []
      for (const group of groups.values()) {
        late.push(...group.waiting.filter(({ since }) => since <= oldest))
        group.waiting = group.waiting.filter(({ since }) => since > oldest)
      }
      size -= late.length
      return late
    },
  }
}
