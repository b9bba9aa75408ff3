// CTA links: contract, "What opening does".
import { aroundLc } from '../../core/cta-link.ts'
import type { Counting } from '../../leads/counting.ts'
import type { Found, Visitors } from '../../leads/visitors.ts'
import { StoreUnavailable } from '../../store/errors.ts'
import type { Page } from '../../store/model.ts'
import { type Exchange, send } from '../exchange.ts'
import { fetcherOf } from './fetcher.ts'
import { unkept } from './headers.ts'
import { sendWords } from './words-page.ts'

const path = /^\/go\/([1-9][0-9]{0,15})\/([0-9a-f]{32})$/

export type LinkParts = { visitors: Visitors; counting: Counting; onDefect(error: unknown): void }

/** Answers GET and HEAD of every path below `/go/`; whatever stands in the query changes nothing. */
export function buildLinks({
  visitors,
  counting,
  onDefect,
}: LinkParts): (exchange: Exchange, path: string) => void {
  const targets = new WeakMap<Page, [string, string]>()

  /** A page as it was read is one object until it changes, and so is its address. */
  function targetOf(page: Page): [string, string] {
    let target = targets.get(page)
    if (target === undefined) {
      target = aroundLc(page.proxyUrl ?? page.pageUrl)
      targets.set(page, target)
    }
    return target
  }

  function answer(exchange: Exchange, pageId: number, ref: string, found: Found | undefined): void {
    const page = found?.campaign.pages.find(({ id }) => id === pageId)
    if (found === undefined || page === undefined || found.account.suspended || found.campaign.isDraft) {
      sendWords(exchange, 404)
      return
    }
    const [before, after] = targetOf(page)
    send(exchange, 302, [...unkept, 'Location', `${before}${ref}${after}`], '')
    const { req, arrivedAtMs } = exchange
    if (req.method === 'HEAD') return
    const { campaign, lead } = found
    const fetcher = fetcherOf(req.headers)
    counting.count({ campaign, pageId, leadId: lead.id, kind: 'click', fetcher }, arrivedAtMs)
  }

  function fail(exchange: Exchange, error: unknown): void {
    if (!(error instanceof StoreUnavailable)) onDefect(error)
    sendWords(exchange, 503)
  }

  return (exchange, asked) => {
    if (exchange.refused) {
      sendWords(exchange, 503)
      return
    }
    const [, pageId, ref] = path.exec(asked) ?? []
    if (ref === undefined) {
      sendWords(exchange, 404)
      return
    }
    try {
      const found = visitors.find(ref)
      const opened = (result: Found | undefined) => answer(exchange, Number(pageId), ref, result)
      if (found instanceof Promise) found.then(opened).catch((error) => fail(exchange, error))
      else opened(found)
    } catch (error) {
      fail(exchange, error)
    }
  }
}
