// A sample event of each kind, for the description and for programs that ask for one.
import type { EventKind } from '../core/events.ts'
import type { EventBody } from './compose.ts'

const happenedAt = '2026-11-26T23:00:00Z'
const ref = '9b2f60c14be14f0f8f4c1d6f2f7a35c8'
const asOf = '2026-11-26T23:00:01Z'

const campaign = { campaignId: 1, campaignName: 'Autumn course' }
const lead = {
  ...campaign,
  ref,
  email: 'ada@example.com',
  registeredAt: '2026-11-24T23:00:00Z',
  deadline: '2026-11-27T23:00:00Z',
  timeZone: 'Europe/Warsaw',
  state: 'open',
  opensAt: happenedAt,
  attempt: 1,
  cycle: 1,
  offerLinks: [{ pageId: 1, pageUrl: 'https://shop.example/offer', url: `https://offers.example/go/1/${ref}` }],
  mailTimerUrls: { en: `https://offers.example/timer/en/${ref}.gif`, pl: `https://offers.example/timer/pl/${ref}.gif` },
  asOf,
}

const samples: Record<EventKind, object> = {
  'lead.registered': { ...lead, registeredAt: happenedAt },
  'lead.started': lead,
  'lead.deadline_changed': { ...lead, cause: 'reset' },
  'lead.opened': lead,
  'lead.deadline_approaching': { ...lead, opensAt: lead.registeredAt, leadTime: 'PT24H' },
  'lead.expired': { ...lead, state: 'expired', opensAt: lead.registeredAt, deadline: happenedAt },
  'lead.converted': {
    ...{ ...lead, state: 'expired', opensAt: null, deadline: happenedAt, convertedAt: '2026-11-26T22:59:19Z' },
    conversion: {
      ...{ id: 7, orderId: '1001', at: '2026-11-26T22:59:19Z', deadline: lead.deadline, secondsLeft: 86_441 },
      ...{ amount: '49.00', currency: 'EUR', closed: true, reversedAt: null },
    },
  },
  'lead.erased': { ref, asOf },
  'campaign.ended': { ...campaign, deadline: happenedAt, timeZone: 'Europe/Warsaw', asOf },
  'endpoint.tested': { endpointId: 1, endpointName: 'shop', asOf },
}

export function sampleOf(type: EventKind): EventBody {
  return { type, timestamp: happenedAt, data: { ...samples[type] } }
}
