import { type Language, type OfferWriter, offerWriter } from '../../core/offer.ts'
import type { LeadView, Registration } from '../../leads/leads.ts'
import type { Account, Campaign } from '../../store/model.ts'
import type { LeadInput } from './schemas.ts'

/** The offer data of a lead as JSON text. `publicUrl` is asked for when a campaign is first seen. */
export function offerTexts(
  publicUrl: () => string,
): (account: Account, input: LeadInput, result: LeadView | Registration) => string {
  /** A campaign as it was read is one object until it changes, and so is the writer of its offers. */
  const writers = {
    withTools: new WeakMap<Campaign, OfferWriter>(),
    without: new WeakMap<Campaign, OfferWriter>(),
  }

  return ({ countdownTools }, input, result) => {
    const { campaign, lead, offer } = result
    const known = countdownTools ? writers.withTools : writers.without
    let writer = known.get(campaign)
    if (writer === undefined) {
      writer = offerWriter(campaign, { publicUrl: publicUrl(), countdownTools })
      known.set(campaign, writer)
    }
    return writer({
      email: input.email,
      ref: lead.ref,
      registeredAt: lead.registeredAt,
      deadline: offer.deadline,
      language: (input.language ?? 'en') as Language,
      created: 'created' in result ? result.created : undefined,
    })
  }
}
