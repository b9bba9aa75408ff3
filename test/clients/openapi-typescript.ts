// What a customer writes with the types of openapi-typescript.
import createClient from 'openapi-fetch'
import type { components, paths } from './generated/openapi-typescript.js'

type CampaignSummary = components['schemas']['CampaignSummary']

export async function callAll(baseUrl: string, key: string, email: string) {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${key}` } })
  const list = await client.GET('/campaigns', { params: { query: { isDraft: false } } })
  const campaign: CampaignSummary | undefined = list.data?.items[0]
  if (campaign === undefined) throw new Error(`no campaign: ${list.error?.code}`)
  const params = { path: { campaignId: campaign.id } }
  // `language` may be left out.
  const registered = await client.POST('/campaigns/{campaignId}/leads', { params, body: { email } })
  const found = await client.POST('/campaigns/{campaignId}/leads/lookup', { params, body: { email, language: 'pl' } })
  const unknown = await client.POST('/campaigns/{campaignId}/leads/lookup', { params, body: { email: `no-${email}` } })
  return {
    name: campaign.name,
    created: registered.data?.created,
    deadlines: [registered.data?.deadline, found.data?.deadline],
    mailTimerUrl: found.data?.mailTimerUrl,
    error: unknown.error?.code,
  }
}
