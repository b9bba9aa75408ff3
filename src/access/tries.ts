// Counting tries of what is limited, such as signing in, over all nodes.
import type { Seconds } from '../core/instant.ts'
import type { Access } from '../store/access.ts'
import type { Tries, TryLimit } from '../store/tries.ts'
import { AccessRefused } from './refused.ts'

/** Tries in a minute. */
const triesOfAddress = 30
/** For an IPv6 /48, which may be 65,536 networks of one customer. */
const triesOfSite = 120

/** An IPv6 address is counted as its /64 network; one customer may have a whole /48. */
export function triesFrom(address: string): TryLimit[] {
  const ofAddress = { name: `address ${address}`, most: triesOfAddress }
  if (!address.includes(':')) return [ofAddress]
  const site = address.split(':').slice(0, 3).join(':')
  return [ofAddress, { name: `site ${site}`, most: triesOfSite }]
}

/**
 * Counts a try of each, and resolves with those before. If one has reached its limit, or `check` throws, nothing is
 * written. @throws AccessRefused
 */
export async function countTries(
  access: Pick<Access, 'findTries' | 'countTries'>,
  limits: TryLimit[],
  now: Seconds,
  check?: (before: Tries[]) => void,
): Promise<Tries[]> {
  const before = await access.findTries(limits, now)
  const waits = before.filter(({ isFull }) => isFull).map(({ endsAt }) => endsAt - now)
  if (waits.length > 0) throw new AccessRefused('TOO_MANY_TRIES', Math.max(...waits))
  check?.(before)
  // Somebody else may have used up the last one since.
  return (await access.countTries(limits, now)) ? before : countTries(access, limits, now, check)
}
