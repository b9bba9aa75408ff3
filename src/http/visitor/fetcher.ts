import type { IncomingHttpHeaders } from 'node:http'
import type { Fetcher } from '../../store/counts.ts'

/** Programs that fetch images for the mail programs of their users, opened or not. */
const proxies = /GoogleImageProxy|ggpht\.com|YahooMailProxy|Outlook-iOS|MSOffice Proxy/i
/** Programs that look at what a mail links to before a person does, and robots. */
const scanners =
  /(?<!cu)bot\b|crawl|spider|slurp|scan|preview|prefetch|barracuda|mimecast|proofpoint|safelinks|existence discovery|curl\/|wget\/|python|java\/|go-http|okhttp|headless|facebookexternalhit|whatsapp\/|slack-imgproxy|favicon/i

/** Those of them that run the scripts of pages, and say that they are robots. */
const robots = /(?<!cu)bot\b|crawl|spider|slurp/i

/** Whether the client calls itself a robot: a robot makes no visit. */
export function isRobot(headers: IncomingHttpHeaders): boolean {
  return robots.test(headers['user-agent'] ?? '')
}

/**
 * Who fetched, as far as headers tell. Apple's mail proxy and some scanners look like any browser, or leave the
 * rest of a browser's name out: a bare `Mozilla/5.0` is taken for a proxy.
 */
export function fetcherOf(headers: IncomingHttpHeaders): Fetcher {
  const agent = headers['user-agent'] ?? ''
  if (proxies.test(agent) || /^Mozilla\/5\.0$/.test(agent)) return 'proxy'
  const purpose = `${headers['sec-purpose'] ?? ''} ${headers.purpose ?? ''} ${headers['x-purpose'] ?? ''}`
  if (agent === '' || scanners.test(agent) || /prefetch|preview/i.test(purpose)) return 'scanner'
  return 'person'
}
