// The visitor protocol, spoken by a small server of the tests from its memory: campaigns whose windows are seconds
// long, and a record of every question. What it answers is the protocol; how it comes by it is not Lastcall's way.
import { randomBytes } from 'node:crypto'
import { fastify } from 'fastify'
import { widget } from '../../src/http/visitor/widget.ts'
import type { Scope } from './lastcall.ts'

export type Expiry = { action: 'HIDE' | 'ZERO' | 'REDIRECT'; redirectUrl?: string }

/** A window in seconds from the server's now, which is cut to a whole second. */
export type Span = { opensInSeconds?: number; endsInSeconds: number | null }

export type CampaignSettings = Span & {
  onExpiry?: Expiry
  isDraft?: boolean
  anonymous?: boolean
  startsOn?: 'registration' | 'visit'
  /** The window comes again so long after each deadline, and is as long as the first. */
  pauseSeconds?: number
  /** Who signs up once more after the end begins again, with a visit where the campaign says so. */
  retries?: boolean
}

export type Answered = {
  now: number
  spentMs: number
  state: 'none' | 'pending' | 'scheduled' | 'open' | 'expired'
  opensAt: number | null
  deadline: number | null
  nextAt: number | null
  onExpiry: Expiry | null
  known: boolean
  lc?: string | null
}

export type Question = { operation: string; campaignId: string; body: any; status: number; answer: Answered }

/** What a test needs of a service that visitors meet; another server can stand behind it. */
export type VisitorService = {
  origin: string
  /** The service's clock, milliseconds. */
  now(): number
  /** Moves the service's clock for good. */
  shift(seconds: number): void
  campaign(settings: CampaignSettings): Promise<string>
  /** A lead by its ref, with the campaign's window or one of its own. */
  lead(campaignId: string, span?: Span): Promise<string>
  /** Sets one lead's window again. */
  move(campaignId: string, ref: string, span: Span): Promise<void>
  /** All that was asked so far, the latest last. */
  questions: Question[]
}

type Lead = { opensAt: number | null; deadline: number | null; isPending: boolean }
type Campaign = {
  settings: CampaignSettings
  leads: Map<string, Lead>
  emails: Set<string>
  clients: Map<string, Lead>
}

const isRef = (value: unknown) => value === undefined || (typeof value === 'string' && /^[0-9a-f]{32}$/.test(value))
const registrationsOfOneVisitor = 5

export async function visitorProtocol(scope: Scope): Promise<VisitorService> {
  const campaigns = new Map<string, Campaign>()
  const registered = new Map<string, number>()
  const questions: Question[] = []
  let shiftedMs = 0
  const now = () => Date.now() + shiftedMs

  function windowOf({ opensInSeconds, endsInSeconds }: Span): Lead {
    const second = Math.floor(now() / 1000)
    const at = (inSeconds: number | null | undefined) => (inSeconds == null ? null : (second + inSeconds) * 1000)
    return { opensAt: at(opensInSeconds), deadline: at(endsInSeconds), isPending: false }
  }

  /** When the window that holds now comes again, if it does; one whose turn has come holds from then on. */
  function comeAgain(lead: Lead, { pauseSeconds, endsInSeconds }: CampaignSettings): number | null {
    if (pauseSeconds === undefined || lead.deadline === null || endsInSeconds === null) return null
    while (now() >= lead.deadline + pauseSeconds * 1000) lead.deadline += (pauseSeconds + endsInSeconds) * 1000
    return lead.deadline + pauseSeconds * 1000
  }

  function offer(lead: Lead | undefined, campaign: Campaign | undefined, known: boolean): Answered {
    const common = { now: now(), spentMs: 0, opensAt: null, deadline: null, nextAt: null, known }
    if (!lead || !campaign || campaign.settings.isDraft) return { ...common, state: 'none', onExpiry: null }
    const onExpiry = campaign.settings.onExpiry ?? { action: 'HIDE' }
    if (lead.isPending) return { ...common, state: 'pending', onExpiry }
    const nextAt = comeAgain(lead, campaign.settings)
    const { opensAt, deadline } = lead
    const state = deadline !== null && now() >= deadline ? 'expired' : now() < (opensAt ?? 0) ? 'scheduled' : 'open'
    return { ...common, state, opensAt, deadline, nextAt, onExpiry }
  }

  function ask(campaign: Campaign | undefined, { lc, client, visit }: any): Answered {
    const known = campaign?.leads.get(lc)
    if (known?.isPending && visit) Object.assign(known, windowOf((campaign as Campaign).settings))
    if (known || !campaign?.settings.anonymous) return offer(known, campaign, known !== undefined)
    if (visit && client !== undefined && !campaign.clients.has(client))
      campaign.clients.set(client, windowOf(campaign.settings))
    return offer(campaign.clients.get(client), campaign, false)
  }

  function register(campaign: Campaign, { email, lc, client }: any): Answered {
    const own = campaign.clients.get(client)
    const begun = () => ({ ...windowOf(campaign.settings), isPending: campaign.settings.startsOn === 'visit' })
    if (campaign.emails.has(email)) {
      const known = campaign.leads.get(lc)
      const isOver = known !== undefined && offer(known, campaign, true).state === 'expired'
      if (isOver && campaign.settings.retries) Object.assign(known, begun())
      return { ...offer(known ?? own, campaign, known !== undefined), lc: null }
    }
    const ref = randomBytes(16).toString('hex')
    const lead = own ?? begun()
    campaign.emails.add(email)
    campaign.leads.set(ref, lead)
    return { ...offer(lead, campaign, true), lc: ref }
  }

  function answer(operation: string, campaign: Campaign | undefined, body: any): [number, unknown] {
    const error = (status: number, code: string): [number, unknown] => [
      status,
      { status: 'error', code, message: 'Refused.', requestId: 'of no use here' },
    ]
    const names = operation === 'offer' ? ['lc', 'client', 'visit', 'page'] : ['email', 'lc', 'client', 'website']
    const isShaped = Object.keys(body).every((name) => names.includes(name)) && isRef(body.lc) && isRef(body.client)
    if (!isShaped) return error(422, 'VALIDATION_ERROR')
    if (operation === 'offer') {
      if (typeof body.visit !== 'boolean') return error(422, 'VALIDATION_ERROR')
      return [200, ask(campaign, body)]
    }
    if (!/^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/.test(body.email)) return error(422, 'VALIDATION_ERROR')
    if (!campaign || campaign.settings.isDraft) return error(409, 'CAMPAIGN_NOT_PUBLISHED')
    if (body.website) return [200, { ...offer(campaign.clients.get(body.client), campaign, false), lc: null }]
    const count = (registered.get(body.client) ?? 0) + 1
    registered.set(body.client, count)
    return count > registrationsOfOneVisitor ? error(429, 'RATE_LIMITED') : [200, register(campaign, body)]
  }

  const app = fastify({ forceCloseConnections: true })
  app.register(widget, { prefix: '/widget' })
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'string' }, async (_: unknown, text: string) => JSON.parse(text))
  app.addHook('onRequest', async (_, reply) => {
    reply.headers({ 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store' })
  })
  // Everything else is not found, a preflight too: a question that needs one is a fault of the widget.
  app.post<{ Params: { campaignId: string; operation: string } }>(
    '/visitor/v1/campaigns/:campaignId/:operation(offer|leads)',
    async ({ params: { campaignId, operation }, body }, reply) => {
      const [status, answered] = answer(operation, campaigns.get(campaignId), body)
      questions.push({ operation, campaignId, body, status, answer: answered as Answered })
      return reply.code(status).send(answered)
    },
  )
  const origin = await app.listen({ host: '127.0.0.1', port: 0 })
  scope.after(async () => {
    await app.close()
  })

  return {
    origin: origin.replace('127.0.0.1', 'localhost'),
    now,
    shift(seconds) {
      shiftedMs += seconds * 1000
    },
    async campaign(settings) {
      const id = String(campaigns.size + 1)
      campaigns.set(id, { settings, leads: new Map(), emails: new Set(), clients: new Map() })
      return id
    },
    async lead(campaignId, span) {
      const campaign = campaigns.get(campaignId) as Campaign
      const ref = randomBytes(16).toString('hex')
      const isPending = span === undefined && campaign.settings.startsOn === 'visit'
      campaign.leads.set(ref, { ...windowOf(span ?? campaign.settings), isPending })
      return ref
    },
    async move(campaignId, ref, span) {
      Object.assign(campaigns.get(campaignId)?.leads.get(ref) as Lead, windowOf(span))
    },
    questions,
  }
}
