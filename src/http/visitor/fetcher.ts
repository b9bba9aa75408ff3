import type { IncomingHttpHeaders } from 'node:http'
import { isbot } from 'isbot'
import type { Fetcher } from '../../store/counts.ts'

/** Programs that fetch images for the mail programs of their users, opened or not; Apple's says `Mozilla/5.0` alone. */
const proxies =
  /GoogleImageProxy|ggpht\.com|YahooMailProxy|SeznamEmailProxy|YandexImageResizer|Outlook-iOS|MSOffice Proxy|^Mozilla\/5\.0$/i
/** Programs that look at the links of a mail before its reader does, and that isbot's list lacks. */
const mailScanners = /mimecast|proofpoint|slurp/i
/** Names of browsers are shorter; isbot's list takes 0.03 ms for each 1,000 characters. */
const mostCharacters = 1_000

/**
 * Who fetched, as far as headers tell. A proxy is judged first, for most of them are robots too. What is left and
 * calls itself a browser is taken for a person; some scanners do.
 */
export function fetcherOf(headers: IncomingHttpHeaders): Fetcher {
  const agent = (headers['user-agent'] ?? '').slice(0, mostCharacters)
  if (proxies.test(agent)) return 'proxy'
  const purpose = `${headers['sec-purpose'] ?? ''} ${headers.purpose ?? ''} ${headers['x-purpose'] ?? ''}`
  const isBrowser = agent.startsWith('Mozilla/') && !isbot(agent) && !mailScanners.test(agent)
  return isBrowser && !/prefetch|preview/i.test(purpose) ? 'person' : 'scanner'
}
