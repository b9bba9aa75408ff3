import type { Fault } from '../../core/fault.ts'
import { Refused } from '../../store/errors.ts'

/** Every error of the panel's API with its status. The panel has the words for people. */
export const panelErrorStatus = {
  INVALID_JSON: 400,
  SIGNED_OUT: 401,
  FOREIGN_ORIGIN: 403,
  NOT_ALLOWED: 403,
  ACCOUNT_SUSPENDED: 403,
  WRONG_PASSWORD: 403,
  WRONG_CODE: 403,
  TOOK_TOO_LONG: 403,
  NOT_FOUND: 404,
  LINK_USED_UP: 404,
  LAST_OWNER: 409,
  TOO_MANY_INVITATIONS: 409,
  TOO_MANY_KEYS: 409,
  TOO_MANY_WEBHOOKS: 409,
  WEBHOOKS_OFF: 409,
  CHANGED_MEANWHILE: 409,
  CAMPAIGN_IS_DRAFT: 409,
  EMAIL_TAKEN: 409,
  NO_MAIL_SERVER: 409,
  NO_PROVIDER: 409,
  PASSWORDS_OFF: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  INVALID: 422,
  COMMON_PASSWORD: 422,
  TOO_MANY_TRIES: 429,
  INTERNAL_ERROR: 500,
  MAIL_NOT_SENT: 502,
  SERVICE_UNAVAILABLE: 503,
  PROVIDER_DOWN: 503,
} as const

export type PanelErrorCode = keyof typeof panelErrorStatus

export const isPanelErrorCode = (code: string): code is PanelErrorCode => code in panelErrorStatus

export type PanelErrorBody = {
  code: PanelErrorCode
  requestId: string
  /** The faults with their paths, as from `campaign apply`. */
  faults: Fault[]
  retryAfterSeconds: number | null
}

/** Ends a request of the panel with an error. */
export class PanelRefusal extends Error {
  override name = 'PanelRefusal'
  readonly code: PanelErrorCode
  readonly faults: Fault[]
  readonly retryAfterSeconds: number | null

  constructor(code: PanelErrorCode, faults: Fault[] = [], retryAfterSeconds: number | null = null) {
    super(code)
    this.code = code
    this.faults = faults
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** For `catch`: what the store refuses, by this code. */
export function refusedAs(code: PanelErrorCode) {
  return (error: unknown): never => {
    throw error instanceof Refused ? new PanelRefusal(code) : error
  }
}

/** One thing is wrong, at this path of the body or query. */
export const invalid = (path: string, message: string) => new PanelRefusal('INVALID', [{ path, message }])
