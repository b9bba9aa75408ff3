// What a request of the public API says, read strictly: nothing is coerced, trimmed or guessed.
import { isUtf8 } from 'node:buffer'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { isEmail } from '../../core/email.ts'
import type { Operation } from '../../core/operations.ts'
import { type BodyFailure, countHeader, type RequestHead } from '../exchange.ts'
import type { Fault } from './reply.ts'
import { LeadInput } from './schemas.ts'

export const basePath = '/api/public/v1'

export type Route = {
  operation: Operation
  /** As it stands in the path; empty for the list. */
  campaignId: string
}

const listPath = `${basePath}/campaigns`
/** The operation of a method and a path, which are compared as they are written. */
export function route(method: string, path: string): Route | undefined {
  if (method === 'POST') {
    const idAt = listPath.length + 1
    const idEnd = path.indexOf('/', idAt)
    if (idEnd <= idAt || !path.startsWith(`${listPath}/`)) return undefined
    const campaignId = path.slice(idAt, idEnd)
    const rest = path.slice(idEnd)
    if (rest === '/leads') return { operation: 'registerLead', campaignId }
    return rest === '/leads/lookup' ? { operation: 'lookupLead', campaignId } : undefined
  }
  const isList = (method === 'GET' || method === 'HEAD') && path === listPath
  return isList ? { operation: 'listCampaigns', campaignId: '' } : undefined
}

/** An integer of 1 or more: digits without sign or leading zero. Past 2^53-1 it names nothing that exists. */
export function parseId(text: string): number | undefined {
  return /^[1-9][0-9]*$/.test(text) ? Number(text) : undefined
}

export type ListQuery = { limit: number; afterId: number; isDraft: boolean | null }

/** The parameters of the list, each at most once (contract, row 5). */
export function parseListQuery(query: string): ListQuery | Fault {
  const result: ListQuery = { limit: 50, afterId: 0, isDraft: null }
  const fault = unknownParameter(query, ['limit', 'afterId', 'isDraft'])
  if (fault !== undefined) return fault
  const parameters = parametersOf(query)

  const limit = parameters.get('limit')
  if (limit !== null) {
    result.limit = parseId(limit) ?? 0
    if (result.limit < 1 || result.limit > 100) return invalid('limit must be an integer from 1 to 100')
  }
  const isDraft = parameters.get('isDraft')
  if (isDraft !== null) {
    if (isDraft !== 'true' && isDraft !== 'false') return invalid('isDraft must be true or false')
    result.isDraft = isDraft === 'true'
  }
  const afterId = parameters.get('afterId')
  if (afterId !== null) {
    const cursor = parseId(afterId)
    if (cursor === undefined || !Number.isSafeInteger(cursor)) return { code: 'INVALID_CURSOR' }
    result.afterId = cursor
  }
  return result
}

/** The first parameter that is not allowed, or stands there twice. */
export function unknownParameter(query: string, allowed: readonly string[]): Fault | undefined {
  if (query === '') return undefined
  const seen = new Set<string>()
  for (const name of parametersOf(query).keys()) {
    if (!allowed.includes(name)) return invalid(`unknown query parameter ${quoted(name)}`)
    if (seen.has(name)) return invalid(`query parameter ${name} is given twice`)
    seen.add(name)
  }
  return undefined
}

/** `URLSearchParams` takes a leading question mark for that of the address, which is not there any more. */
function parametersOf(query: string): URLSearchParams {
  return new URLSearchParams(query.startsWith('?') ? `&${query}` : query)
}

const parameter = /;\s*([^\s=;]+)(?:\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*))?/g

/** `application/json` in UTF-8, uncompressed (contract, row 7). */
export function isJson(req: RequestHead): boolean {
  const { 'content-type': type, 'content-encoding': encoding } = req.headers
  if (encoding !== undefined && !/^identity(?:, *identity)*$/i.test(encoding)) return false
  if (type === undefined || countHeader(req, 'content-type') > 1) return false
  return type === 'application/json' || isJsonType(type)
}

function isJsonType(type: string): boolean {
  if (!/^application\/json\s*(?:;|$)/i.test(type)) return false
  for (const [, name, value] of type.matchAll(parameter)) {
    if (name?.toLowerCase() === 'charset' && !/^(?:utf-8|"utf-8")$/i.test((value ?? '').trim())) return false
  }
  return true
}

const bodyFaults: Record<BodyFailure, Fault> = {
  tooLarge: { code: 'PAYLOAD_TOO_LARGE' },
  draining: { code: 'SERVICE_UNAVAILABLE' },
  incomplete: { code: 'INVALID_JSON' },
}

/** Rows 8 to 10 of the contract. */
export function leadInput(body: Buffer | BodyFailure): LeadInput | Fault {
  if (typeof body === 'string') return bodyFaults[body]
  const value = parseJson(body)
  if (value === notJson) return { code: 'INVALID_JSON' }
  const message = leadFault(value)
  return message === undefined ? (value as LeadInput) : invalid(message)
}

const notJson = Symbol('not JSON')

/** RFC 8259: one JSON text in UTF-8. A byte order mark is none of JSON's white space. */
function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) return notJson
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    return notJson
  }
}

const ajv = new Ajv2020({ strict: true, strictTypes: false, formats: { email: isEmail } })
const validateLead = ajv.compile<LeadInput>(LeadInput)

/** What is wrong with a lead input, by the name of the property and never by its value; or nothing. */
function leadFault(value: unknown): string | undefined {
  if (validateLead(value)) return undefined
  const fault = validateLead.errors?.[0]
  const property = fault?.instancePath.slice(1)
  if (fault === undefined) return 'the body is not a lead input'
  if (fault.keyword === 'additionalProperties') {
    return `unknown property ${quoted(fault.params.additionalProperty)}`
  }
  if (fault.keyword === 'required') return `property ${fault.params.missingProperty} is missing`
  if (property === 'email') return 'email must be an email address in ASCII of at most 254 characters'
  if (property === 'language') return 'language must be en or pl'
  return 'the body must be a JSON object'
}

function invalid(message: string): Fault {
  return { code: 'VALIDATION_ERROR', message }
}

/** A name that the client made up, in a form and length that do no harm. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 60)}…` : name)
}
