// The shapes of the widget API: what validates a body, and what types and writes an answer.
import Type, { type Static } from 'typebox'
import { refPattern } from '../../core/offer.ts'
import { Email } from '../public/schemas.ts'
import { closed, nullable } from '../schemas.ts'

/** `lc` is a ref, and `client` has the form of one. */
const id = Type.Optional(Type.String({ pattern: refPattern }))

export const OfferInput = Type.Object(
  { lc: id, client: id, visit: Type.Boolean(), page: Type.Optional(Type.String()) },
  closed,
)
export type OfferInput = Static<typeof OfferInput>

/** `website` is a field that people do not see. */
export const FormInput = Type.Object(
  { email: Email, lc: id, client: id, website: Type.Optional(Type.String()) },
  closed,
)
export type FormInput = Static<typeof FormInput>

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
