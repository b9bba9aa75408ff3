import { hash, timingSafeEqual } from 'node:crypto'
import type { ConfigCache } from '../../campaigns/config-cache.ts'
import { parseAuthorization } from '../../core/api-key.ts'
import type { LiveKey } from '../../store/model.ts'
import { countHeader, type RequestHead } from '../exchange.ts'

const hashBytes = 32
/** Compared against where there is no such key, so that the answer takes the same time. */
const noHash = new Uint8Array(hashBytes)
/** The hash of the secret at hand; a fresh buffer for each request would be the dearest part of hashing. */
const givenHash = Buffer.alloc(hashBytes)

/** The key of the one `Authorization` header: known, not revoked at `nowMs` (wall clock), with the right secret. */
export function checkKey(
  configCache: ConfigCache,
  req: RequestHead,
  nowMs: number,
): MaybePromise<LiveKey | undefined> {
  if (countHeader(req, 'authorization') > 1) return undefined
  const given = parseAuthorization(req.headers.authorization ?? '')
  if (given === undefined) return undefined
  const found = configCache.liveKey(given.keyId)
  if (found instanceof Promise) return found.then((key) => compare(key, given.secret, nowMs))
  return compare(found, given.secret, nowMs)
}

function compare(key: LiveKey | undefined, secret: string, nowMs: number): LiveKey | undefined {
  givenHash.write(hash('sha256', secret, 'latin1'), 'latin1')
  const right = timingSafeEqual(givenHash, key?.secretHash ?? noHash)
  return right && works(key as LiveKey, nowMs) ? key : undefined
}

/** A key that was replaced works until its time of grace ends. */
function works({ revokedAt }: LiveKey, nowMs: number): boolean {
  return revokedAt === null || nowMs < revokedAt * 1_000
}
