// What a customer writes with the client that @hey-api/openapi-ts generates.
import { createClient } from './generated/hey-api/client/index.js'
import { type CampaignSummary, listCampaigns, lookupLead, registerLead } from './generated/hey-api/index.js'

export async function callAll(baseUrl: string, key: string, email: string) {
  const client = createClient({ baseUrl, auth: key })
  const list = await listCampaigns({ client, query: { isDraft: false } })
  const campaign: CampaignSummary | undefined = list.data?.items[0]
  if (campaign === undefined) throw new Error(`no campaign: ${list.error?.code}`)
  const path = { campaignId: campaign.id }
  // `language` may be left out.
  const registered = await registerLead({ client, path, body: { email } })
  const found = await lookupLead({ client, path, body: { email, language: 'pl' } })
  const unknown = await lookupLead({ client, path, body: { email: `no-${email}` } })
  return {
    name: campaign.name,
    created: registered.data?.created,
    deadlines: [registered.data?.deadline, found.data?.deadline],
    mailTimerUrl: found.data?.mailTimerUrl,
    error: unknown.error?.code,
  }
}
