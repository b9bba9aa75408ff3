const pattern =
  /^lastcall_([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.([A-Za-z0-9_-]{43})$/
const bearer = /^bearer +(\S+)$/i

/** `lastcall_<uuid>.<secret>`; the secret is 32 random bytes in base64url (contract, "Key"). */
export type ApiKey = { keyId: string; secret: string }

export function formatApiKey({ keyId, secret }: ApiKey): string {
  return `lastcall_${keyId}.${secret}`
}

/** The key in the value of an `Authorization` header (RFC 6750, section 2.1), if it has the form of one. */
export function parseAuthorization(value: string): ApiKey | undefined {
  const token = bearer.exec(value)?.[1]
  const parts = token === undefined ? null : pattern.exec(token)
  return parts ? { keyId: parts[1] as string, secret: parts[2] as string } : undefined
}

/** What names a key where keys are listed: the first eight characters of its uuid. */
export function keyHint(keyId: string): string {
  return keyId.slice(0, 8)
}
