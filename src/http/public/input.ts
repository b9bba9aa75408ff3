// What is wrong with a request to the public API, the APIs beside it and the widget's, in words.
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import { emailWanted } from '../../core/email.ts'
import { orderIdWanted } from '../../core/order.ts'
import { pageMaxSize } from './schemas.ts'

/** By property, where the general words (`wantedBy` in json.ts) would say less. */
const messages: Record<string, string> = {
  campaignId: 'campaignId must be an integer of 1 or more',
  endpointId: 'endpointId must be an integer of 1 or more',
  limit: `limit must be an integer from 1 to ${pageMaxSize}`,
  lc: 'lc must be 32 hexadecimal digits',
  client: 'client must be 32 hexadecimal digits',
  ref: 'ref must be the 32 hexadecimal digits of a ref',
  email: `email must be ${emailWanted}`,
  orderId: `orderId must be ${orderIdWanted}`,
  before: 'before must be the nextBefore of an earlier answer, or an instant',
}

/** Names the property that is wrong, never its value. `place`: body, querystring or params. */
export function validationMessage(fault: FastifySchemaValidationError | undefined, place: string): string {
  const { keyword, instancePath = '', message = 'is not valid', params = {} } = fault ?? {}
  const name = instancePath
    .slice(1)
    .replaceAll(/\/(\d+)/g, '[$1]')
    .replaceAll('/', '.')
  const thing = place === 'querystring' ? 'query parameter' : 'property'
  if (keyword === 'additionalProperties') return `unknown ${thing} ${quoted(params.additionalProperty)}`
  if (keyword === 'required') return `property ${String(params.missingProperty)} is missing`
  if (place === 'querystring' && keyword === 'type') return `query parameter ${name} is given twice`
  return messages[name] ?? `${name || 'the body'} ${message}`
}

/** A name that the client made up, cut and cleaned so that it does no harm. */
function quoted(name: unknown): string {
  const text = String(name)
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
}
