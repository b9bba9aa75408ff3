// The description of the API for conversions, OpenAPI 3.1.
import { bodyLimitBytes } from '../../core/errors.ts'
import { components, everyAnswer, failuresOf, rate } from '../public/description.ts'
import * as shape from './schemas.ts'

const version = '1.0.0'

const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const json = (name: string) => ({ 'application/json': { schema: schema(name) } })
const always: readonly shape.Code[] = ['UNAUTHORIZED', 'ACCOUNT_SUSPENDED', 'RATE_LIMITED', 'VALIDATION_ERROR']
const ofBodies: readonly shape.Code[] = ['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
const anyTime: readonly shape.Code[] = ['CAMPAIGN_NOT_FOUND', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']

const failures = (own: readonly shape.Code[]) =>
  failuresOf([...always, ...own, ...anyTime], { status: shape.statusOf, message: shape.messageOf })

const body = (name: string) => ({
  required: true,
  description: `At most ${bodyLimitBytes} bytes.`,
  content: json(name),
})
const query = (name: string, description: string) => ({
  ...{ name, in: 'query', description },
  schema: { type: 'integer', minimum: 1, ...(name === 'limit' && { maximum: 100 }) },
})
const headers = { ...everyAnswer, ...rate }
const answer = (description: string, name: string) => ({ description, headers, content: json(name) })
const told = { operationId: 'createConversion', summary: 'Tell of an order', tags: ['Conversions'] }
const listed = { operationId: 'listConversions', summary: 'List orders', tags: ['Conversions'] }
const reversed = { operationId: 'reverseConversion', summary: 'Count an order out', tags: ['Conversions'] }

const campaign = [{ name: 'campaignId', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }]

const paths = {
  '/campaigns/{campaignId}/conversions': {
    parameters: campaign,
    post: {
      ...told,
      requestBody: body('ConversionInput'),
      responses: {
        200: answer('The order was known: the answer as before.', 'Conversion'),
        201: answer('The order is kept.', 'Conversion'),
        ...failures([...ofBodies, 'LEAD_NOT_FOUND']),
      },
    },
    get: {
      ...listed,
      description: 'Needs a key with the scope `conversions`.',
      parameters: [query('limit', '50 where it is left out.'), query('afterId', 'The `nextAfterId` of a page.')],
      responses: {
        200: answer('Ascending id.', 'ConversionList'),
        ...failures(['FORBIDDEN', 'INVALID_CURSOR']),
      },
    },
  },
  '/campaigns/{campaignId}/conversions/reversal': {
    parameters: campaign,
    post: {
      ...reversed,
      requestBody: body('ReversalInput'),
      responses: {
        200: answer('The order is counted out.', 'KeptConversion'),
        ...failures([...ofBodies, 'CONVERSION_NOT_FOUND']),
      },
    },
  },
}

/** The description, with the whole base address of the API, relative or absolute, as its server. */
export function description(server: string) {
  const { Conversion, KeptConversion, ConversionInput, ReversalInput } = shape
  const items = { type: 'array', items: schema('KeptConversion') }
  const ConversionList = { ...shape.ConversionList, properties: { ...shape.ConversionList.properties, items } }
  return {
    openapi: '3.1.0',
    info: {
      ...{ title: 'Lastcall API for conversions', version, license: { name: 'MIT', identifier: 'MIT' } },
      description: 'Tells of purchases: each order once. Where the campaign says so, an order ends the offer.',
    },
    servers: [{ url: server }],
    security: [{ apiKey: [] }],
    tags: [{ name: 'Conversions', description: 'Who bought, and how long before the end.' }],
    paths,
    components: {
      securitySchemes: components.securitySchemes,
      headers: components.headers,
      schemas: {
        ...{ Conversion, KeptConversion, ConversionInput, ReversalInput, ConversionList },
        Error: shape.ErrorOfAny,
      },
    },
  }
}
