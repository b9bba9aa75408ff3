// The shapes of the widget API: what validates a body, and what types and writes an answer.
import type { FastifySchemaValidationError } from 'fastify/types/schema.js'
import Type, { type Static, type TObject } from 'typebox'
import { emailWanted } from '../../core/email.ts'
import { Refusal } from '../errors.ts'
import { LeadInput } from '../public/schemas.ts'
import { closed, nullable } from '../schemas.ts'

/** As refs are: 128 bits in hexadecimal. */
const id = Type.Optional(Type.String({ pattern: '^[0-9a-f]{32}$' }))

export const OfferInput = Type.Object(
  { lc: id, client: id, visit: Type.Boolean(), page: Type.Optional(Type.String()) },
  closed,
)
export type OfferInput = Static<typeof OfferInput>

/** `website` is a field that people do not see. */
export const FormInput = Type.Object(
  { email: LeadInput.properties.email, lc: id, client: id, website: Type.Optional(Type.String()) },
  closed,
)
export type FormInput = Static<typeof FormInput>

const messages: Record<string, string> = {
  lc: 'lc must be 32 hexadecimal digits',
  client: 'client must be 32 hexadecimal digits',
  visit: 'visit must be true or false',
  page: 'page must be the address of a page',
  email: `email must be ${emailWanted}`,
  website: 'website must be text',
}

/** For `schemaErrorFormatter`: names the property that is wrong, never its value. */
export function refusalOf(input: TObject) {
  return ([fault]: FastifySchemaValidationError[]): Refusal => {
    const { keyword, instancePath = '', params = {} } = fault ?? {}
    const name = keyword === 'required' ? String(params.missingProperty) : instancePath.slice(1)
    const message =
      keyword === 'additionalProperties'
        ? `the properties are ${Object.keys(input.properties).join(', ')}`
        : messages[name]
    return new Refusal('VALIDATION_ERROR', message ?? 'the body must be a JSON object')
  }
}

/** Instants are milliseconds, as browsers count. */
const offerProperties = {
  /** The service's clock when it answers. */
  now: Type.Integer(),
  /** How long the request was here: the rest of the time that the widget waited was the network. */
  spentMs: Type.Integer(),
  state: Type.String(),
  opensAt: nullable(Type.Integer()),
  deadline: nullable(Type.Integer()),
  nextAt: nullable(Type.Integer()),
  onExpiry: nullable(Type.Object({ action: Type.String(), redirectUrl: Type.Optional(Type.String()) }, closed)),
  known: Type.Boolean(),
}

export const OfferAnswer = Type.Object(offerProperties, closed)
export type OfferAnswer = Static<typeof OfferAnswer>

export const FormAnswer = Type.Object({ ...offerProperties, lc: nullable(Type.String()) }, closed)
export type FormAnswer = Static<typeof FormAnswer>
