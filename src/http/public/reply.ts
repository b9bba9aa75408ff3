import { type ErrorCode, errorMessage, errorStatus } from '../../core/errors.ts'
import type { RateVerdict } from '../../core/rate-window.ts'
import type { Exchange } from '../exchange.ts'
import type { ErrorBody } from './schemas.ts'

export type Reply = {
  status: number
  body: string
  /** True where the body is known to be ASCII. */
  isAscii: boolean
  errorCode: ErrorCode | null
  headers: string[] | undefined
}

/** Why a check fails; without a message the code's own is said. */
export type Fault = { code: ErrorCode; message?: string }

export function succeeded(status: number, body: string, isAscii = false): Reply {
  return { status, body, isAscii, errorCode: null, headers: undefined }
}

export function failed(exchange: Exchange, { code, message }: Fault, headers?: string[]): Reply {
  const body = errorBody(exchange, code, message)
  return { status: errorStatus[code], body, isAscii: false, errorCode: code, headers }
}

export function unauthorized(exchange: Exchange, detail: string): Reply {
  return failed(exchange, { code: 'UNAUTHORIZED' }, ['WWW-Authenticate', `Bearer realm="lastcall"${detail}`])
}

export function rateLimited(exchange: Exchange, { resetSeconds }: RateVerdict): Reply {
  return failed(exchange, { code: 'RATE_LIMITED' }, ['Retry-After', String(resetSeconds)])
}

/** The body of an error, with the request's id (specification, part 7). */
export function errorBody(exchange: Exchange, code: ErrorCode, message: string = errorMessage[code]): string {
  const body: ErrorBody = { status: 'error', code, message, requestId: exchange.requestId }
  return JSON.stringify(body)
}
