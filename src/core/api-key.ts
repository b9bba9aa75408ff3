/** `lastcall_<uuid>.<secret>`; the secret is 32 random bytes in base64url (contract, "Key"). */
export type ApiKey = { keyId: string; secret: string }

const prefix = 'lastcall_'
const uuidLength = 36
const secretLength = 43
const dotAt = prefix.length + uuidLength
const keyLength = dotAt + 1 + secretLength

export function formatApiKey({ keyId, secret }: ApiKey): string {
  return `${prefix}${keyId}.${secret}`
}

/**
 * The key in the value of an `Authorization` header (RFC 6750, section 2.1), if it has the outline of one.
 * Whether uuid and secret have the right characters shows when no such key is found.
 */
export function parseAuthorization(value: string): ApiKey | undefined {
  const token = value.replace(/^bearer +/i, '')
  const isKey = token.length === keyLength && token.startsWith(prefix) && token[dotAt] === '.'
  if (!isKey || token === value) return undefined
  return { keyId: token.slice(prefix.length, dotAt), secret: token.slice(dotAt + 1) }
}

/** What names a key where keys are listed: the first eight characters of its uuid. */
export function keyHint(keyId: string): string {
  return keyId.slice(0, 8)
}
