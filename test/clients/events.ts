// What a customer's receiver writes with the types of openapi-typescript: `type` says what `data` has.
import type { components } from './generated/events.js'

type Told = components['schemas']['Event'] | components['schemas']['Batch']

export function linesOf(told: Told): string[] {
  if (told.type === 'batch')
    return told.data.events.flatMap((event) => linesOf(event).map((line) => `${event.id} ${line}`))
  switch (told.type) {
    case 'lead.deadline_approaching':
      return [`${told.data.leadTime} left for ${told.data.email ?? told.data.ref}`]
    case 'lead.deadline_changed':
      return [`${told.data.ref}: ${told.data.deadline} by ${told.data.cause}`]
    case 'lead.converted':
      return [`${told.data.ref} bought ${told.data.conversion.orderId}`]
    case 'lead.erased':
      return [`${told.data.ref} is gone`]
    case 'campaign.ended':
      return [`${told.data.campaignName} is over since ${told.data.deadline}`]
    case 'endpoint.tested':
      return [told.data.endpointName]
    default:
      return [`${told.data.ref} is ${told.data.state}: ${told.data.mailTimerUrls?.en}`]
  }
}
