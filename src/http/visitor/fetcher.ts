import type { IncomingHttpHeaders } from 'node:http'
import { isbot } from 'isbot'
import type { Fetcher } from '../../store/counts.ts'

/** Programs that fetch images for their users' mail programs, opened or not; Apple's sends only `Mozilla/5.0`. */
const proxies =
  /GoogleImageProxy|ggpht\.com|YahooMailProxy|SeznamEmailProxy|YandexImageResizer|Outlook-iOS|MSOffice Proxy|^Mozilla\/5\.0$/i
/** Programs that open links before the reader does, and that isbot does not know. */
const mailScanners = /mimecast|proofpoint|slurp/i
/** Names of browsers are shorter; isbot's list takes 0.03 ms for each 1,000 characters. */
const mostCharacters = 1_000

/**
 * Who fetched, as far as headers tell. Proxies come first, since most of them are robots too. Anything else that calls
 * itself a browser counts as a person, which some scanners do.
 */
export function fetcherOf(headers: IncomingHttpHeaders): Fetcher {
  const agent = (headers['user-agent'] ?? '').slice(0, mostCharacters)
  if (proxies.test(agent)) return 'proxy'
  const purpose = `${headers['sec-purpose'] ?? ''} ${headers.purpose ?? ''} ${headers['x-purpose'] ?? ''}`
  const isBrowser = agent.startsWith('Mozilla/') && !isbot(agent) && !mailScanners.test(agent)
  return isBrowser && !/prefetch|preview/i.test(purpose) ? 'person' : 'scanner'
}
