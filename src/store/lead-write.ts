// A bridge to the engines' first edition, which goes with it.
import { StoreUnavailable } from './errors.ts'
import type { Campaign, Decide, Decision, Lead, LeadRefusal, LeadWrite } from './model.ts'

export type OldDecide = (lead: Lead | undefined) => Decision | undefined
export type OldLeadWrite = { lead: Lead; created: boolean }
type OldWrite = (
  campaign: Campaign,
  email: string,
  decide: OldDecide,
  expectNew: boolean,
) => Promise<OldLeadWrite | 'stale'>

class RefusedWrite extends Error {}

export async function writeRepeatedly(
  write: OldWrite,
  findCampaign: (id: number) => Promise<Campaign | undefined>,
  read: Campaign,
  email: string,
  decide: Decide,
  seen: Lead | undefined,
): Promise<LeadWrite | LeadRefusal> {
  let campaign: Campaign | undefined = read
  for (let n = 0; n < 20; n += 1) {
    if (campaign === undefined) return 'CAMPAIGN_NOT_FOUND'
    let refusal: LeadRefusal | undefined
    const current: Campaign = campaign
    try {
      const written = await write(
        current,
        email,
        (lead) => {
          const decision = decide(current, lead)
          if (typeof decision !== 'string') return decision
          refusal = decision
          throw new RefusedWrite()
        },
        seen === undefined,
      )
      if (written !== 'stale') return { campaign: current, ...written }
    } catch (error) {
      if (error instanceof RefusedWrite && refusal !== undefined) return refusal
      throw error
    }
    campaign = await findCampaign(read.id)
  }
  throw new StoreUnavailable('the campaign kept changing')
}
