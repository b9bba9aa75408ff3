// Every failure becomes an error of the contract (specification, part 7).
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { type AnyErrorCode, type ErrorCode, messageOf, statusOf } from '../core/errors.ts'
import { describeError, type Log } from '../log.ts'
import { outageIn, StoreUnavailable } from '../store/errors.ts'

declare module 'fastify' {
  interface FastifyReply {
    /** The code of the error that this request was answered with. */
    errorCode: AnyErrorCode | null
  }
}

/** Thrown to end a request with an error of the contract, where there is no reply at hand. */
export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: AnyErrorCode

  constructor(code: AnyErrorCode, message = messageOf[code]) {
    super(message)
    this.code = code
  }
}

/** Answers with an error of the contract, by default with the message of its code. */
export function sendError(reply: FastifyReply, code: AnyErrorCode, message = messageOf[code]): FastifyReply {
  reply.errorCode = code
  return reply
    .code(statusOf[code])
    .type('application/json')
    .send({ status: 'error', code, message, requestId: reply.request.id })
}

/** What Fastify refuses by itself. */
const codesOfFramework: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'INVALID_JSON',
}

/** The code for what a hook, a handler or Fastify has thrown; a defect of ours is INTERNAL_ERROR. */
export function errorCodeOf(error: unknown): AnyErrorCode {
  if (error instanceof Refusal) return error.code
  if (error instanceof StoreUnavailable) return 'SERVICE_UNAVAILABLE'
  const { code, validation, statusCode } = error as FastifyError
  if (validation !== undefined) return 'VALIDATION_ERROR'
  // For a body that breaks off, Fastify sets 400 on the error of its stream.
  return codesOfFramework[code] ?? (statusCode === 400 ? 'INVALID_JSON' : 'INTERNAL_ERROR')
}

/** Logs an error's name, code and places under the request id, never its text, which may quote an email. */
export function logFailure(log: Log, code: string, error: unknown, request: FastifyRequest): void {
  const fields = { requestId: request.id, error: describeError(error) }
  if (code === 'INTERNAL_ERROR') log.error('a request failed', fields)
  else if (code === 'MAIL_NOT_SENT') log.warn('a mail was not sent', fields)
  else if (code.startsWith('PROVIDER_')) log.warn('the OpenID Connect provider failed', fields)
  else if (error instanceof StoreUnavailable) log.warn(outageIn(error), fields)
}
