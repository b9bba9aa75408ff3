/** `lastcall_<uuid>.<secret>`; the secret is 32 random bytes in base64url (contract, "Key"). */
type ApiKey = { keyId: string; secret: string }

export const prefix = 'lastcall_'

export function formatApiKey({ keyId, secret }: ApiKey): string {
  return `${prefix}${keyId}.${secret}`
}

/** What names a key where keys are listed: the first eight characters of its uuid. */
export function keyHint(keyId: string): string {
  return keyId.slice(0, 8)
}
