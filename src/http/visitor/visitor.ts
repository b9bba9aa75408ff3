// Everything that recipients open. Each surface has a prefix of its own and answers all that stands below it.

import type { ConfigCache } from '../../campaigns/config-cache.ts'
import type { Templates } from '../../countdown/templates.ts'
import type { Counting } from '../../leads/counting.ts'
import type { Leads } from '../../leads/leads.ts'
import { buildVisitors } from '../../leads/visitors.ts'
import type { Store } from '../../store/store.ts'
import type { Exchange } from '../exchange.ts'
import type { Proxies } from './address.ts'
import { buildLinks } from './links.ts'
import { inPortions } from './portions.ts'
import { buildTimers } from './timers.ts'
import { sendWidget } from './widget.ts'
import { buildQuestions } from './widget-api.ts'

export type VisitorParts = {
  store: Store
  configCache: ConfigCache
  leads: Leads
  templates: Templates
  counting: Counting
  proxies: Proxies
  formRatePerMinute: number
  onDefect(error: unknown, exchange?: Exchange): void
  /** Wall clock, milliseconds. */
  now(): number
}

/** Answers an exchange whose path is one of a recipient's, and says whether it is. */
export function buildVisitorSurface(parts: VisitorParts): (exchange: Exchange, path: string) => boolean {
  const { counting, onDefect, now } = parts
  const visitors = buildVisitors(parts.store, parts.configCache, parts.leads)
  const links = buildLinks({ visitors, counting, onDefect })
  const timers = buildTimers({ visitors, templates: parts.templates, counting, onDefect, now })
  const questions = buildQuestions({
    visitors,
    counting,
    rates: parts.store.rates,
    proxies: parts.proxies,
    formRatePerMinute: parts.formRatePerMinute,
    onDefect: (exchange, error) => onDefect(error, exchange),
    now,
  })
  const reading: [prefix: string, answer: Answer][] = [
    ['/go/', links],
    ['/timer/', timers],
    ['/widget/', sendWidget],
  ]

  function surfaceOf(method: string | undefined, path: string): Answer | undefined {
    if (path.startsWith('/visitor/v1/')) return questions
    if (method !== 'GET' && method !== 'HEAD') return undefined
    return reading.find(([prefix]) => path.startsWith(prefix))?.[1]
  }

  const portions = inPortions()

  return (exchange, path) => {
    const surface = surfaceOf(exchange.req.method, path)
    if (surface === undefined) portions.yieldTo()
    else if (exchange.refused) surface(exchange, path)
    else
      portions.soon(() => {
        try {
          surface(exchange, path)
        } catch (error) {
          onDefect(error, exchange)
          exchange.req.socket.destroy()
        }
      })
    return surface !== undefined
  }
}

type Answer = (exchange: Exchange, path: string) => void
