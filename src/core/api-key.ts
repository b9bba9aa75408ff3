/** `lastcall_<uuid>.<secret>`; the secret is 32 random bytes in base64url (contract, "Key"). */
type ApiKey = { keyId: string; secret: string }

export const prefix = 'lastcall_'

export function formatApiKey({ keyId, secret }: ApiKey): string {
  return `${prefix}${keyId}.${secret}`
}

/** Shown in place of a key in lists: the first eight characters of its uuid. */
export function keyHint(keyId: string): string {
  return keyId.slice(0, 8)
}
