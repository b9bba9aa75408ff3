// What the three operations are asked in every example, read off the description: one place for all of them.
import type { Operation } from '../../core/operations.ts'
import { description } from '../public/description.ts'

export type ApiRequest = {
  summary: string
  method: string
  url: string
  /** JSON text values only, so that every language writes them alike; null where nothing is sent. */
  body: Record<string, string> | null
}

/** What lists the campaigns that take registrations. */
const listQuery = 'limit=50&isDraft=false'

/** The operations of the public API, each with its path and method. */
const describedOperations = Object.entries(description('').paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

/** One request of the public API. `baseUrl` and `campaignId` may be placeholders. */
export function apiRequest(name: Operation, baseUrl: string, campaignId: number | string): ApiRequest {
  const found = describedOperations.find(({ operation }) => operation.operationId === name)
  if (found === undefined) throw new Error(`the description has no ${name}`)
  const { path, method, operation } = found
  const query = name === 'listCampaigns' ? `?${listQuery}` : ''
  return {
    summary: operation.summary,
    method: method.toUpperCase(),
    url: `${baseUrl}${path.replace('{campaignId}', String(campaignId))}${query}`,
    body: 'requestBody' in operation ? exampleOf(operation.requestBody) : null,
  }
}

type RequestBody = { content: { 'application/json': { examples: Record<string, { value: object }> } } }

function exampleOf({ content }: RequestBody): Record<string, string> {
  const [example] = Object.values(content['application/json'].examples)
  return { ...example?.value }
}
