// The three operations as an able engineer writes them in an afternoon: Fastify, JSON schemas and Kysely, every
// answer read from the database, a commit for each request. It is a yardstick and nothing to serve customers with.
// node bench/peer/server.ts --database URL --key KEY [--accounts N] [--leads N] [--rate-limit N] [--port N]
import { randomBytes, randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { createTables, type Database, hashOf, open, requestCounter } from './database.ts'
import { type Account, type Campaign, deadlineOf, offerOf, type Page } from './offer.ts'
import { campaignList, campaignParams, leadInput, leadOffer, leadRegistration, listQuery } from './schemas.ts'
import { seed } from './seed.ts'

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

function buildApp(db: Database, url: string, rateLimit: number) {
  const app = fastify({
    bodyLimit: 16_384,
    genReqId: () => randomUUID(),
    ajv: { customOptions: { removeAdditional: false, allErrors: false } },
  })
  const countRequest = requestCounter(db, url)
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
    const count = await countRequest(account.id, Math.floor(second / 60))
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
      const lead = await findLead(db, campaign.id, body.email)
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
      if (campaign.is_draft === 1) throw new ApiError(409, 'CAMPAIGN_NOT_PUBLISHED')
      const inserted = await addLead(db, campaign, body.email)
      const lead = inserted ?? (await findLead(db, campaign.id, body.email))
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
  const account = await db
    .selectFrom('api_keys')
    .innerJoin('accounts', 'accounts.id', 'api_keys.account_id')
    .select(['accounts.id', 'accounts.suspended', 'accounts.countdown_tools'])
    .where('api_keys.hash', '=', hashOf(key))
    .executeTakeFirst()
  if (account === undefined) throw new ApiError(401, 'UNAUTHORIZED')
  if (account.suspended === 1) throw new ApiError(403, 'ACCOUNT_SUSPENDED')
  return account
}

async function campaignOf(
  db: Database,
  account: Account,
  id: number,
): Promise<{ campaign: Campaign; pages: Page[] }> {
  const campaign = await db
    .selectFrom('campaigns')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', account.id)
    .executeTakeFirst()
  if (campaign === undefined) throw new ApiError(404, 'CAMPAIGN_NOT_FOUND')
  const pages = await db.selectFrom('pages').selectAll().where('campaign_id', '=', id).orderBy('id').execute()
  return { campaign, pages }
}

function findLead(db: Database, campaignId: number, email: string) {
  return db
    .selectFrom('leads')
    .selectAll()
    .where('campaign_id', '=', campaignId)
    .where('email', '=', email)
    .executeTakeFirst()
}

/** Undefined where the email is registered already. */
function addLead(db: Database, campaign: Campaign, email: string) {
  const registeredAt = Math.floor(Date.now() / 1000)
  return db
    .insertInto('leads')
    .values({
      campaign_id: campaign.id,
      email,
      ref: randomBytes(16).toString('hex'),
      registered_at: registeredAt,
      deadline: deadlineOf(campaign, registeredAt),
    })
    .onConflict((conflict) => conflict.columns(['campaign_id', 'email']).doNothing())
    .returningAll()
    .executeTakeFirst()
}

async function listCampaigns(
  db: Database,
  account: Account,
  { limit = 50, afterId = 0, isDraft }: List['Querystring'],
) {
  let query = db
    .selectFrom('campaigns')
    .select(['id', 'name', 'is_draft'])
    .where('account_id', '=', account.id)
    .where('id', '>', afterId)
  if (isDraft !== undefined) query = query.where('is_draft', '=', isDraft ? 1 : 0)
  const found = await query
    .orderBy('id')
    .limit(limit + 1)
    .execute()
  const items = found.slice(0, limit).map(({ id, name, is_draft }) => ({
    id,
    name,
    type: { id: 2, name: 'Evergreen' },
    isDraft: is_draft === 1,
  }))
  return { items, nextAfterId: found.length > limit ? (items.at(-1)?.id ?? null) : null }
}

const db = open(values.database)
await createTables(db, values.database)
await seed(db, { key: values.key, accounts: Number(values.accounts), leads: Number(values.leads) })
const app = buildApp(db, values.database, Number(values['rate-limit']))
console.log(`Peer listening on ${await app.listen({ port: Number(values.port), host: '127.0.0.1' })}`)
process.on('SIGTERM', async () => {
  await app.close()
  await db.destroy()
})
