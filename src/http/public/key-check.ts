import { hash, timingSafeEqual } from 'node:crypto'
import type { ConfigCache } from '../../campaigns/config-cache.ts'
import { type ApiKey, prefix } from '../../core/api-key.ts'
import type { LiveKey } from '../../store/model.ts'

const uuidLength = 36
const secretLength = 43
const dotAt = prefix.length + uuidLength
const keyLength = dotAt + 1 + secretLength

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

/**
 * The key in the value of an `Authorization` header (RFC 6750, section 2.1), if it has the outline of one.
 * Whether uuid and secret have the right characters shows when no such key is found.
 */
function parseAuthorization(value: string): ApiKey | undefined {
  const token = value.replace(/^bearer +/i, '')
  const isKey = token.length === keyLength && token.startsWith(prefix) && token[dotAt] === '.'
  if (!isKey || token === value) return undefined
  return { keyId: token.slice(prefix.length, dotAt), secret: token.slice(dotAt + 1) }
}
