// The machine-readable description, OpenAPI 3.1, made of the schemas that validate.
import { type AnyErrorCode, bodyLimitBytes, type ErrorCode, messageOf, statusOf } from '../../core/errors.ts'
import {
  CampaignList,
  CampaignSummary,
  ErrorBody,
  LeadInput,
  LeadOffer,
  LeadRegistration,
  pageMaxSize,
  pageSize,
} from './schemas.ts'

/** Version of the description, not of the program (specification, part 9). */
const version = '1.0.0'

const requestId = '7d9f0c1e-5b1c-4c59-9a53-0f2b8a3c6d11'
const ref = '9b2f60c14be14f0f8f4c1d6f2f7a35c8'

const leadInput = { email: 'ada@example.com', language: 'en' }
const leadOffer = {
  campaignId: 1,
  email: 'ada@example.com',
  registeredAt: '2026-06-01T15:00:00Z',
  deadline: '2026-06-05T03:59:00Z',
  timeZone: 'America/New_York',
  offerLinks: [
    {
      pageId: 1,
      pageUrl: 'https://shop.example/offer',
      url: `https://offers.example/go/1/${ref}`,
    },
  ],
  mailTimerUrl: `https://offers.example/timer/en/${ref}.gif`,
  warnings: [],
}
const draftOffer = {
  ...leadOffer,
  offerLinks: [],
  mailTimerUrl: null,
  warnings: ['CAMPAIGN_NOT_PUBLISHED'],
}
const campaignList = {
  items: [{ id: 1, name: 'Autumn course', type: { id: 2, name: 'Evergreen' }, isDraft: false }],
  nextAfterId: null,
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` })
export const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` })
export const everyAnswer = { 'X-Request-Id': header('XRequestId'), 'Cache-Control': header('CacheControl') }
/** On every answer to an authorized request; 500 and 503 can come before a request is known to be one. */
export const rate = {
  'RateLimit-Limit': header('RateLimitLimit'),
  'RateLimit-Remaining': header('RateLimitRemaining'),
  'RateLimit-Reset': header('RateLimitReset'),
}

function success(description: string, name: string, examples: Record<string, object>) {
  return {
    description,
    headers: { ...everyAnswer, ...rate },
    content: { 'application/json': { schema: schema(name), examples: named(examples) } },
  }
}

function named(examples: Record<string, object>) {
  return Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]))
}

/** The error answers of an operation, by status, from its codes. */
export function failuresOf(codes: readonly AnyErrorCode[]) {
  const byStatus = Map.groupBy(codes, (code) => statusOf[code])
  return Object.fromEntries([...byStatus].map(([status, those]) => [status, failure(those)]))
}

/** Codes that answer before the request is known to be authorized, or at any time. */
const beforeRate = ['UNAUTHORIZED', 'ACCOUNT_SUSPENDED'] as const
export const anyTime: readonly ErrorCode[] = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']

function failure(codes: readonly AnyErrorCode[]) {
  const has = (code: AnyErrorCode) => codes.includes(code)
  // Status 403 has both: without the scope a request is counted, of a suspended account it is not.
  const counted = has('FORBIDDEN') || !beforeRate.some(has)
  const extra = {
    ...(has('UNAUTHORIZED') && { 'WWW-Authenticate': header('WWWAuthenticate') }),
    ...(has('RATE_LIMITED') && { 'Retry-After': header('RetryAfter') }),
  }
  const examples = codes.map((code) => [code, { status: 'error', code, message: messageOf[code], requestId }])
  return {
    description: codes.map((code) => `\`${code}\`: ${messageOf[code]}`).join('\n\n'),
    headers: { ...everyAnswer, ...(counted && rate), ...extra },
    content: {
      'application/json': {
        schema: { allOf: [schema('Error'), { type: 'object', properties: { code: { enum: codes } } }] },
        examples: named(Object.fromEntries(examples)),
      },
    },
  }
}

const guarded: readonly ErrorCode[] = [...beforeRate, 'RATE_LIMITED', ...anyTime]
const leadCodes: readonly ErrorCode[] = [
  'INVALID_JSON',
  ...guarded,
  'CAMPAIGN_NOT_FOUND',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'VALIDATION_ERROR',
]

const campaignId = {
  name: 'campaignId',
  in: 'path',
  required: true,
  description: "A campaign of the key's account.",
  schema: { type: 'integer', minimum: 1 },
  example: 1,
}

const leadBody = {
  required: true,
  description: `At most ${bodyLimitBytes / 1_024} KiB (${bodyLimitBytes.toLocaleString('en')} bytes).`,
  content: { 'application/json': { schema: schema('LeadInput'), examples: named({ lead: leadInput }) } },
}

const listCampaigns = {
  operationId: 'listCampaigns',
  summary: 'List campaigns',
  description: "The account's campaigns, drafts and published, in ascending `id`.",
  tags: ['Campaigns'],
  parameters: [
    {
      name: 'limit',
      in: 'query',
      description: 'Campaigns per page.',
      schema: { type: 'integer', minimum: 1, maximum: pageMaxSize, default: pageSize },
    },
    {
      name: 'afterId',
      in: 'query',
      description: '`nextAfterId` of the previous answer.',
      schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
    },
    {
      name: 'isDraft',
      in: 'query',
      description: 'true: only drafts; false: only published; left out: both.',
      schema: { type: 'boolean' },
    },
  ],
  responses: {
    200: success('One page of campaigns.', 'CampaignList', { campaigns: campaignList }),
    ...failuresOf(['INVALID_CURSOR', ...guarded, 'VALIDATION_ERROR']),
  },
}

const registerLead = {
  operationId: 'registerLead',
  summary: 'Register an email in a published campaign',
  description:
    'Registration is real: there is no sandbox. Registering again extends nothing unless the campaign says so. ' +
    'No email is sent. A time-out is no rollback: retrying answers 200 with `created` false.',
  tags: ['Leads'],
  parameters: [campaignId],
  requestBody: leadBody,
  responses: {
    200: success('The lead was there before.', 'LeadRegistration', {
      existing: { ...leadOffer, created: false },
    }),
    201: success('A new lead, on disk before this answer.', 'LeadRegistration', {
      created: { ...leadOffer, created: true },
    }),
    ...failuresOf([...leadCodes, 'CAMPAIGN_NOT_PUBLISHED']),
  },
}

const lookupLead = {
  operationId: 'lookupLead',
  summary: "Read an existing lead's offer",
  description:
    'POST keeps the email out of the URL. Nothing is written: no registration, activation or renewal. ' +
    'An expired deadline can be returned.',
  tags: ['Leads'],
  parameters: [campaignId],
  requestBody: leadBody,
  responses: {
    200: success('The offer of this lead.', 'LeadOffer', { offer: leadOffer, draft: draftOffer }),
    ...failuresOf([...leadCodes, 'LEAD_NOT_FOUND']),
  },
}

const text = (description: string, more: object = {}) => ({
  description,
  required: true,
  schema: { type: 'string', ...more },
})
const count = (description: string, minimum: number) => ({
  description,
  schema: { type: 'integer', minimum },
})

/** By reference, so that generated clients have a type for one campaign. */
const campaigns = { ...CampaignList.properties.items, items: schema('CampaignSummary') }

export const components = {
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'lastcall_<uuid>.<secret>',
      description: 'Made in the panel or by `lastcall key create`. For servers only: never in a URL or a browser.',
    },
  },
  headers: {
    XRequestId: text('Names this request in the request history.', { format: 'uuid' }),
    CacheControl: text('Answers are private.', { const: 'no-store' }),
    WWWAuthenticate: text('That a key is asked for, and whether the one sent was refused (RFC 6750).', {
      pattern: '^Bearer(?: .+)?$',
    }),
    RetryAfter: { ...count('Seconds left in the current UTC minute.', 1), required: true },
    RateLimitLimit: count('Requests a minute for the account, all keys together.', 1),
    RateLimitRemaining: count('Requests left in this minute.', 0),
    RateLimitReset: count('Seconds until the minute ends.', 1),
  },
  schemas: {
    CampaignList: { ...CampaignList, properties: { ...CampaignList.properties, items: campaigns } },
    CampaignSummary,
    LeadInput,
    LeadOffer,
    LeadRegistration,
    Error: ErrorBody,
  },
}

/** The description, with the whole base address of the API, relative or absolute, as its server. */
export function description(server: string) {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lastcall Campaign Offer Registration API',
      version,
      description:
        'Lists the campaigns of an account, registers an email as a lead in a published campaign, and reads the ' +
        'offer of an existing lead. Every answer carries `X-Request-Id` and `Cache-Control: no-store`.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server }],
    security: [{ apiKey: [] }],
    tags: [
      { name: 'Campaigns', description: 'What the account has.' },
      { name: 'Leads', description: 'One email address, exactly as written, in one campaign.' },
    ],
    paths: {
      '/campaigns': { get: listCampaigns },
      '/campaigns/{campaignId}/leads': { post: registerLead },
      '/campaigns/{campaignId}/leads/lookup': { post: lookupLead },
    },
    components,
  }
}
