/** Every error code of the public API with its status (specification, part 7). */
export const errorStatus = {
  INVALID_JSON: 400,
  INVALID_CURSOR: 400,
  UNAUTHORIZED: 401,
  ACCOUNT_SUSPENDED: 403,
  CAMPAIGN_NOT_FOUND: 404,
  LEAD_NOT_FOUND: 404,
  NOT_FOUND: 404,
  CAMPAIGN_NOT_PUBLISHED: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  VALIDATION_ERROR: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  SERVICE_UNAVAILABLE: 503,
} as const

export type ErrorCode = keyof typeof errorStatus

/** The codes that only the APIs for events and conversions have, besides those above. */
export const besideStatus = {
  FORBIDDEN: 403,
  CONVERSION_NOT_FOUND: 404,
  DELIVERY_NOT_FOUND: 404,
  ENDPOINT_NOT_FOUND: 404,
  TOO_MANY_ENDPOINTS: 409,
  WEBHOOKS_OFF: 409,
  TARGET_NOT_ALLOWED: 422,
} as const
export type BesideCode = keyof typeof besideStatus
export type AnyErrorCode = ErrorCode | BesideCode

export const statusOf: Record<AnyErrorCode, number> = { ...errorStatus, ...besideStatus }

/** The largest body of a request, in bytes (specification, part 8). */
export const bodyLimitBytes = 16_384

/** The message of each code, unless there is a more exact one. Wording is free (specification, part 7). */
export const messageOf: Record<AnyErrorCode, string> = {
  INVALID_JSON: 'The body is not one complete JSON text in UTF-8.',
  INVALID_CURSOR: 'afterId must be the nextAfterId of an earlier answer: an integer from 1 to 9007199254740991.',
  UNAUTHORIZED: 'A valid API key is required: Authorization: Bearer lastcall_<uuid>.<secret>.',
  ACCOUNT_SUSPENDED: 'The account of this key is suspended.',
  CAMPAIGN_NOT_FOUND: 'The account has no campaign with this id.',
  LEAD_NOT_FOUND: 'This email is not registered in the campaign.',
  NOT_FOUND: 'There is nothing at this path for this method.',
  CAMPAIGN_NOT_PUBLISHED: 'The campaign is a draft; publish it before registering leads.',
  PAYLOAD_TOO_LARGE: `The body is larger than ${bodyLimitBytes} bytes.`,
  UNSUPPORTED_MEDIA_TYPE: 'Send the body as Content-Type: application/json in UTF-8, without a Content-Encoding.',
  VALIDATION_ERROR: 'The request is not valid.',
  RATE_LIMITED: 'The account has used its requests of this minute; wait for the seconds in Retry-After.',
  INTERNAL_ERROR: 'Something went wrong on our side.',
  SERVICE_UNAVAILABLE: 'The service is unavailable for the moment; try again with an increasing pause.',
  FORBIDDEN: 'This key lacks a scope: events to manage endpoints, conversions to list orders. Make one that has it.',
  CONVERSION_NOT_FOUND: 'The campaign has no order with this orderId.',
  DELIVERY_NOT_FOUND: 'The log has no event with this id, it was a test, or its lead was erased.',
  ENDPOINT_NOT_FOUND: 'The account has no endpoint with this id.',
  TOO_MANY_ENDPOINTS: 'The account has as many endpoints as it may; delete one first.',
  WEBHOOKS_OFF: 'The operator has switched webhooks off.',
  TARGET_NOT_ALLOWED: 'Requests may not go to this address.',
}
