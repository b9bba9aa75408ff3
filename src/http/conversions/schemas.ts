// The shapes of the API for conversions: what validates a request, and what the description says.
import Type, { type Static } from 'typebox'
import { refPattern } from '../../core/offer.ts'
import { schema } from '../public/description.ts'
import { Email } from '../public/schemas.ts'
import { closed, id, instant, nullable } from '../schemas.ts'

export const conversionsPath = '/api/conversions/v1'

/** `isOrderId` looks closer: validators in other languages, such as Python's, do not know the `\p` of its pattern. */
const orderId = Type.String({ pattern: '^\\S{1,100}$', description: '1 to 100 visible characters, without spaces.' })
const amount = Type.String({ description: 'A decimal with at most the decimal places of `currency`, such as `49.00`.' })
const currency = Type.String({ description: 'Of ISO 4217, such as `EUR`; ignored without an amount.' })

export const ConversionInput = Type.Object(
  {
    email: Type.Optional(Email),
    ref: Type.Optional(Type.String({ pattern: refPattern, description: '`lc` of an offer link.' })),
    orderId,
    amount: Type.Optional(amount),
    currency: Type.Optional(currency),
    at: Type.Optional(
      Type.String({ description: 'When it was bought, an instant such as `2026-06-05T03:59:00Z`; now if left out.' }),
    ),
  },
  { ...closed, description: 'Either `email` or `ref`; an amount needs its currency.' },
)

const properties = {
  id,
  campaignId: id,
  email: nullable(Type.String(), 'null: the lead was erased.'),
  orderId: nullable(Type.String(), 'null: the lead was erased.'),
  at: instant,
  deadline: nullable(instant, 'At the time of the purchase; null: none.'),
  secondsLeft: nullable(
    Type.Integer(),
    'Time from the purchase to the deadline; below zero if the purchase came later.',
  ),
  amount: nullable(Type.String()),
  currency: nullable(Type.String()),
  closed: Type.Boolean({ description: 'Whether this order ended the offer.' }),
}
export const Conversion = Type.Object(
  { ...properties, created: Type.Boolean({ description: 'false: the order was known.' }) },
  closed,
)
export const KeptConversion = Type.Object({ ...properties, reversedAt: nullable(instant) }, closed)
export const ConversionList = Type.Object(
  {
    items: Type.Array(Type.Unsafe<Static<typeof KeptConversion>>(schema('KeptConversion'))),
    nextAfterId: nullable(id),
  },
  closed,
)
export const ReversalInput = Type.Object(
  {
    orderId,
    reopen: Type.Optional(Type.Boolean({ description: 'Also reopen the offer that this order ended.' })),
  },
  closed,
)
