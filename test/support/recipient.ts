// What a recipient does with what the API handed out: opens links and images, and asks as the widget asks.
import assert from 'node:assert/strict'
import { openConfigCache } from '../../src/campaigns/config-cache.ts'
import { buildLeads } from '../../src/leads/leads.ts'
import { testerAt } from './actor.ts'
import { type Answer, type Headers, leads, newEmail, prefix, type Shop, send } from './api.ts'

export const aPerson = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

export type Recipient = {
  email: string
  ref: string
  /** Paths. */
  links: string[]
  image: string
  deadline: string | null
}

/** Registers by the API, as a customer's server does. */
export async function recipient(
  shop: Shop,
  { campaignId = shop.owner.campaignId, email = newEmail(), language = 'en' } = {},
): Promise<Recipient> {
  const path = `${prefix}${leads(campaignId)}`
  const body = { email, language }
  const answer = await open(shop, path, { method: 'POST', headers: bearer(shop), body })
  assert.ok(answer.status < 300, `${answer.raw}`)
  const { offerLinks, mailTimerUrl, deadline } = answer.body
  const links = offerLinks.map(({ url }: { url: string }) => new URL(url).pathname)
  const image = mailTimerUrl === null ? '' : new URL(mailTimerUrl).pathname
  const ref = /[0-9a-f]{32}/.exec(links[0] ?? image)?.[0] ?? ''
  return { email, ref, links, image, deadline }
}

export async function lookUp(shop: Shop, email: string, campaignId = shop.owner.campaignId) {
  const path = `${prefix}${leads(campaignId)}/lookup`
  return (await open(shop, path, { method: 'POST', headers: bearer(shop), body: { email } })).body
}

/** By hand, as somebody does it who runs the service; `at` in milliseconds, whole seconds. */
export async function setDeadline(shop: Shop, email: string, at: number, campaignId = shop.owner.campaignId) {
  const of = { accountId: shop.owner.accountId, campaignId }
  const set = await shop.place.arrange((store) =>
    buildLeads(store, openConfigCache(store), () => {}).setDeadline(
      of,
      email,
      at / 1000,
      testerAt(Math.floor(Date.now() / 1000)),
    ),
  )
  assert.equal(typeof set, 'object', `${set}`)
}

const bearer = (shop: Shop) => ({ Authorization: `Bearer ${shop.owner.key}` })

export type Opening = { method?: string; headers?: Headers; body?: unknown }

export function open(shop: Pick<Shop, 'server'>, path: string, options: Opening = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body } = options
  return send(shop.server, method, path, {
    outside: true,
    headers: { 'User-Agent': aPerson, ...headers },
    ...(body !== undefined && { body }),
  })
}

/** Asks for the offer, or registers an email, as the widget does. */
export function ask(
  shop: Shop,
  what: 'offer' | 'leads',
  body: unknown,
  { campaignId = shop.owner.campaignId, headers = {} as Headers } = {},
): Promise<Answer> {
  const path = `/visitor/v1/campaigns/${campaignId}/${what}`
  const typed = { 'Content-Type': 'text/plain;charset=UTF-8', ...headers }
  return open(shop, path, { method: 'POST', headers: typed, body })
}

export const random32 = () => Array.from({ length: 32 }, () => Math.floor(Math.random() * 16).toString(16)).join('')
