/**
 * Somebody is not let in, may not change how they sign in, or may invite nobody else for now. WRONG_CODE: the code is
 * wrong, or was used before; CHANGED_MEANWHILE: there is no second factor (any more), or there is one already;
 * COMMON_PASSWORD: guessers try it first; SERVICE_UNAVAILABLE: too many passwords wait to be hashed.
 */
export class AccessRefused extends Error {
  override name = 'AccessRefused'
  readonly code:
    | ('WRONG_PASSWORD' | 'COMMON_PASSWORD' | 'TOO_MANY_TRIES' | 'TOO_MANY_INVITATIONS' | 'SERVICE_UNAVAILABLE')
    | ('WRONG_CODE' | 'TOOK_TOO_LONG' | 'CHANGED_MEANWHILE')
  /** With TOO_MANY_TRIES. */
  readonly retryAfterSeconds: number | null

  constructor(code: AccessRefused['code'], retryAfterSeconds: number | null = null) {
    super(code)
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}
