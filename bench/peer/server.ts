// The three operations as an able engineer writes them in an afternoon: Fastify, JSON schemas and Drizzle, every
// answer read from the database, a commit for each request. It is a yardstick and nothing to serve customers with.
// node bench/peer/server.ts --database URL --key KEY [--accounts N] [--leads N] [--rate-limit N] [--port N]
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { Account, Campaign, Database, Page } from './database.ts'
import { deadlineOf, offerOf } from './offer.ts'
import { openPostgres } from './postgres.ts'
import { campaignList, campaignParams, leadInput, leadOffer, leadRegistration, listQuery } from './schemas.ts'
import { hashOf, newRef, seed } from './seed.ts'
import { openSqlite } from './sqlite.ts'

declare module 'fastify' {
  interface FastifyRequest {
    account: Account
  }
}

const { values } = parseArgs({
  options: {
    database: { type: 'string', default: 'file::memory:' },
    key: { type: 'string', default: randomUUID() },
    accounts: { type: 'string', default: '1' },
    leads: { type: 'string', default: '0' },
    'rate-limit': { type: 'string', default: '120' },
    port: { type: 'string', default: '0' },
  },
})

class ApiError extends Error {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string, message = code) {
    super(message)
    this.status = status
    this.code = code
  }
}

type Register = { Params: { campaignId: number }; Body: { email: string; language?: string } }
type List = { Querystring: { limit?: number; afterId?: number; isDraft?: boolean } }

function buildApp(db: Database, rateLimit: number) {
  const app = fastify({
    bodyLimit: 16_384,
    genReqId: () => randomUUID(),
    ajv: { customOptions: { removeAdditional: false, allErrors: false } },
  })
  let publicUrl = ''
  app.addHook('onListen', async () => {
    publicUrl = `http://localhost:${(app.server.address() as AddressInfo).port}`
  })
  app.decorateRequest('account', null as unknown as Account)

  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id).header('Cache-Control', 'no-store')
    request.account = await accountOf(db, request)
    await limitRate(request, reply)
  })

  async function limitRate({ account }: FastifyRequest, reply: FastifyReply): Promise<void> {
    const second = Math.floor(Date.now() / 1000)
    const count = await db.countRequest(account.id, Math.floor(second / 60))
    reply.header('RateLimit-Limit', rateLimit)
    reply.header('RateLimit-Remaining', Math.max(0, rateLimit - count))
    reply.header('RateLimit-Reset', 60 - (second % 60))
    if (count > rateLimit) {
      reply.header('Retry-After', 60 - (second % 60))
      throw new ApiError(429, 'RATE_LIMITED')
    }
  }

  app.setErrorHandler((error: Error & { statusCode?: number }, request, reply) => {
    const known = error instanceof ApiError ? error : errorOf(error)
    if (known.status === 401) reply.header('WWW-Authenticate', 'Bearer')
    const { status, code, message } = known
    reply.code(status).send({ status: 'error', code, message, requestId: request.id })
  })
  app.setNotFoundHandler(() => {
    throw new ApiError(404, 'NOT_FOUND')
  })

  app.get<List>(
    '/api/public/v1/campaigns',
    { schema: { querystring: listQuery, response: { 200: campaignList } } },
    ({ account, query }) => listCampaigns(db, account, query),
  )

  app.post<Register>(
    '/api/public/v1/campaigns/:campaignId/leads/lookup',
    { schema: { params: campaignParams, body: leadInput, response: { 200: leadOffer } } },
    async ({ account, params, body }) => {
      const { campaign, pages } = await campaignOf(db, account, params.campaignId)
      const lead = await db.lead(campaign.id, body.email)
      if (lead === undefined) throw new ApiError(404, 'LEAD_NOT_FOUND')
      return offerOf({ account, campaign, pages, lead }, publicUrl, body.language ?? 'en')
    },
  )

  const registration = { 200: leadRegistration, 201: leadRegistration }
  app.post<Register>(
    '/api/public/v1/campaigns/:campaignId/leads',
    { schema: { params: campaignParams, body: leadInput, response: registration } },
    async ({ account, params, body }, reply) => {
      const { campaign, pages } = await campaignOf(db, account, params.campaignId)
      if (campaign.isDraft) throw new ApiError(409, 'CAMPAIGN_NOT_PUBLISHED')
      const inserted = await addLead(db, campaign, body.email)
      const lead = inserted ?? (await db.lead(campaign.id, body.email))
      if (lead === undefined) throw new ApiError(404, 'LEAD_NOT_FOUND')
      const offer = offerOf({ account, campaign, pages, lead }, publicUrl, body.language ?? 'en')
      reply.code(inserted ? 201 : 200)
      return { ...offer, created: inserted !== undefined }
    },
  )
  return app
}

function errorOf({ message, statusCode }: Error & { statusCode?: number }): ApiError {
  if (statusCode === 400) return new ApiError(422, 'VALIDATION_ERROR', message)
  if (statusCode === 413) return new ApiError(413, 'PAYLOAD_TOO_LARGE')
  if (statusCode === 415) return new ApiError(415, 'UNSUPPORTED_MEDIA_TYPE')
  console.error(message)
  return new ApiError(500, 'INTERNAL_ERROR')
}

async function accountOf(db: Database, { headers }: FastifyRequest): Promise<Account> {
  const key = /^bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1]
  if (key === undefined) throw new ApiError(401, 'UNAUTHORIZED')
  const account = await db.accountOfKey(hashOf(key))
  if (account === undefined) throw new ApiError(401, 'UNAUTHORIZED')
  if (account.suspended) throw new ApiError(403, 'ACCOUNT_SUSPENDED')
  return account
}

async function campaignOf(db: Database, account: Account, id: number): Promise<{ campaign: Campaign; pages: Page[] }> {
  const campaign = await db.campaign(account.id, id)
  if (campaign === undefined) throw new ApiError(404, 'CAMPAIGN_NOT_FOUND')
  return { campaign, pages: await db.pages(id) }
}

function addLead(db: Database, campaign: Campaign, email: string) {
  const registeredAt = Math.floor(Date.now() / 1000)
  const deadline = deadlineOf(campaign, registeredAt)
  return db.addLead({ campaignId: campaign.id, email, ref: newRef(), registeredAt, deadline })
}

async function listCampaigns(
  db: Database,
  account: Account,
  { limit = 50, afterId = 0, isDraft }: List['Querystring'],
) {
  const found = await db.campaigns(account.id, afterId, isDraft, limit + 1)
  const items = found.slice(0, limit).map(({ id, name, isDraft }) => {
    return { id, name, type: { id: 2, name: 'Evergreen' }, isDraft }
  })
  return { items, nextAfterId: found.length > limit ? (items.at(-1)?.id ?? null) : null }
}

const url = values.database
const db = url.startsWith('postgres') ? await openPostgres(url) : openSqlite(url.replace(/^file:/, ''))
await seed(db, { key: values.key, accounts: Number(values.accounts), leads: Number(values.leads) })
const app = buildApp(db, Number(values['rate-limit']))
console.log(`Peer listening on ${await app.listen({ port: Number(values.port), host: '127.0.0.1' })}`)
process.on('SIGTERM', async () => {
  await app.close()
  await db.close()
})
