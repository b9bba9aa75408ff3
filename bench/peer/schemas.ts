const id = { type: 'integer', minimum: 1 }
const closed = { type: 'object', additionalProperties: false }

export const leadInput = {
  ...closed,
  required: ['email'],
  properties: {
    email: { type: 'string', format: 'email', maxLength: 254 },
    language: { type: 'string', enum: ['en', 'pl'] },
  },
}

export const campaignParams = { ...closed, required: ['campaignId'], properties: { campaignId: id } }

export const listQuery = {
  ...closed,
  properties: {
    limit: { type: 'integer', minimum: 1, maximum: 100 },
    afterId: id,
    isDraft: { type: 'boolean' },
  },
}

const offerProperties = {
  campaignId: id,
  email: { type: 'string' },
  registeredAt: { type: 'string' },
  deadline: { type: 'string', nullable: true },
  timeZone: { type: 'string' },
  offerLinks: {
    type: 'array',
    items: {
      ...closed,
      required: ['pageId', 'pageUrl', 'url'],
      properties: { pageId: id, pageUrl: { type: 'string' }, url: { type: 'string' } },
    },
  },
  mailTimerUrl: { type: 'string', nullable: true },
  warnings: { type: 'array', items: { type: 'string' } },
}

export const leadOffer = { ...closed, required: Object.keys(offerProperties), properties: offerProperties }

const registrationProperties = { ...offerProperties, created: { type: 'boolean' } }

export const leadRegistration = {
  ...closed,
  required: Object.keys(registrationProperties),
  properties: registrationProperties,
}

export const campaignList = {
  ...closed,
  required: ['items', 'nextAfterId'],
  properties: {
    items: {
      type: 'array',
      items: {
        ...closed,
        required: ['id', 'name', 'type', 'isDraft'],
        properties: {
          id,
          name: { type: 'string' },
          type: {
            ...closed,
            required: ['id', 'name'],
            properties: { id, name: { type: 'string' } },
          },
          isDraft: { type: 'boolean' },
        },
      },
    },
    nextAfterId: { type: 'integer', nullable: true },
  },
}
