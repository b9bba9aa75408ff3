// The shapes of the public API: what validates a body, what types an answer, and what the description says.
import Type, { type Static } from 'typebox'
import { emailMaxLength } from '../../core/email.ts'
import { type ErrorCode, errorStatus } from '../../core/errors.ts'
import { languages, warnings } from '../../core/offer.ts'
import { closed, instant, nullable } from '../schemas.ts'

export const basePath = '/api/public/v1'

/** Campaigns on a page: by default, and at most. */
export const pageSize = 50
export const pageMaxSize = 100

const id = (description: string) => Type.Integer({ minimum: 1, description })

export const Email = Type.String({
  format: 'email',
  maxLength: emailMaxLength,
  pattern: '^\\S(?:.*\\S)?$',
  description:
    'A Mailbox of RFC 5321 in ASCII. Kept and compared byte for byte: case and plus-aliases are part of the identity.',
})

/** The body of a registration, and of a lookup. */
export const LeadInput = Type.Object(
  {
    email: Email,
    language: Type.Optional(
      Type.Enum([...languages], {
        type: 'string',
        // Not as `default`: client generators treat properties with a default as required.
        description: 'Language of the countdown image in this answer; `en` where it is left out.',
      }),
    ),
  },
  { ...closed, description: 'Unknown properties are rejected.' },
)

export const CampaignSummary = Type.Object(
  {
    id: id('Identifies the campaign.'),
    name: Type.String({ description: 'Name of the campaign.' }),
    type: Type.Object(
      { id: id('Identifies the type.'), name: Type.String({ description: 'Name of the type.' }) },
      { ...closed, description: 'What kind of deadline the campaign gives.' },
    ),
    isDraft: Type.Boolean({ description: 'true: draft; false: published.' }),
  },
  closed,
)

export const CampaignList = Type.Object(
  {
    items: Type.Array(CampaignSummary, { maxItems: pageMaxSize, description: 'Ascending `id`.' }),
    nextAfterId: nullable(Type.Integer({ minimum: 1 }), 'Pass as `afterId` for the next page; null on the last page.'),
  },
  closed,
)

const OfferLink = Type.Object(
  {
    pageId: id('Identifies the offer page.'),
    pageUrl: Type.String({ format: 'uri', description: 'Configured page URL.' }),
    url: Type.String({ format: 'uri', description: 'Personalized CTA link: the target of the button.' }),
  },
  closed,
)

const leadOfferProperties = {
  campaignId: id('Identifies the campaign.'),
  email: Type.String({
    format: 'email',
    maxLength: emailMaxLength,
    description: 'The email of the request, exactly as sent.',
  }),
  registeredAt: Type.String({
    format: 'date-time',
    description: 'First retained registration or activation, UTC; not the time of this answer.',
  }),
  deadline: nullable(
    instant,
    'Actual deadline of the campaign mechanism, UTC; null when none is determined. May have passed.',
  ),
  timeZone: Type.String({ description: "The campaign's time zone, an IANA name." }),
  offerLinks: Type.Array(OfferLink, { description: 'One for each eligible page, ascending `pageId`.' }),
  mailTimerUrl: nullable(Type.String({ format: 'uri' }), 'Email countdown image.'),
  warnings: Type.Array(Type.Enum([...warnings], { type: 'string' }), {
    uniqueItems: true,
    description: 'Why something is missing from this answer. Empty: nothing is.',
  }),
}

export const LeadOffer = Type.Object(leadOfferProperties, closed)

/**
 * The schema by which an answer is serialised. Null is allowed in the serialiser's own way: with `anyOf` it would check
 * formats on each answer.
 */
export const toWrite = (schema: Type.TSchema): object =>
  JSON.parse(JSON.stringify(schema), (_, value) => (value?.anyOf ? { ...value.anyOf[0], nullable: true } : value))

export const LeadRegistration = Type.Object(
  {
    ...leadOfferProperties,
    created: Type.Boolean({
      description: 'true only if no identifiable lead existed before this request.',
    }),
  },
  closed,
)

const codes = Object.keys(errorStatus) as ErrorCode[]

export const ErrorBody = Type.Object(
  {
    status: Type.Literal('error', { description: 'Tells an error from every other answer.' }),
    code: Type.Enum(codes, { type: 'string', description: 'What went wrong, for programs to decide by.' }),
    message: Type.String({ description: 'For people; its wording is not fixed.' }),
    requestId: Type.String({ format: 'uuid', description: 'Equal to the header `X-Request-Id`.' }),
  },
  closed,
)

export type LeadInput = Static<typeof LeadInput>
export type CampaignList = Static<typeof CampaignList>
export type ErrorBody = Static<typeof ErrorBody>

/** The error answers of each route: an answer with any other status would be written without a schema. */
export const errors = { '4xx': ErrorBody, '5xx': ErrorBody }

/** Ids are digits without sign or leading zero (contract, rows 5 and 6); one too large to exist is not found. */
export const idPattern = '^[1-9][0-9]*$'
export const CampaignPath = Type.Object({ campaignId: Type.String({ pattern: idPattern }) })
export type CampaignPath = Static<typeof CampaignPath>

/** A query is text: each number that is allowed. */
const limits = Array.from({ length: pageMaxSize }, (_, index) => index + 1).join('|')

export const NoQuery = Type.Object({}, closed)
/** One page of a list by ascending id, in the APIs beside this one too. */
export const PageQuery = Type.Object(
  {
    limit: Type.Optional(Type.String({ pattern: `^(?:${limits})$` })),
    afterId: Type.Optional(Type.String()),
  },
  closed,
)
export const ListQuery = Type.Object(
  { ...PageQuery.properties, isDraft: Type.Optional(Type.Enum(['true', 'false'], { type: 'string' })) },
  closed,
)
export type ListQuery = Static<typeof ListQuery>
