import { hash, timingSafeEqual } from 'node:crypto'
import type { ConfigCache } from '../../campaigns/config-cache.ts'
import { parseAuthorization } from '../../core/api-key.ts'
import type { LiveKey } from '../../store/model.ts'

/** Compared against where there is no such key, so that the answer takes the same time. */
const noHash = new Uint8Array(32)

/** The key that an `Authorization` header names: known, not revoked at `nowMs` (wall clock), with the right secret. */
export async function checkKey(
  configCache: ConfigCache,
  authorization: string,
  nowMs: number,
): Promise<LiveKey | undefined> {
  const given = parseAuthorization(authorization)
  if (given === undefined) return undefined
  const key = await configCache.liveKey(given.keyId)
  const isRight = timingSafeEqual(hash('sha256', given.secret, 'buffer'), key?.secretHash ?? noHash)
  return key !== undefined && isRight && works(key, nowMs) ? key : undefined
}

/** A key that was replaced works until its time of grace ends. */
function works({ revokedAt }: LiveKey, nowMs: number): boolean {
  return revokedAt === null || nowMs < revokedAt * 1_000
}
