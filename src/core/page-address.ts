import type { PageSettings } from './campaign.ts'

/**
 * The campaign's page at an address that a browser opened: the same site and path, with any query, fragment or slash at
 * the end. Undefined if there is none.
 */
export function pageAt<Page extends PageSettings>(pages: readonly Page[], address: string): Page | undefined {
  const wanted = placeOf(address)
  if (wanted === undefined) return undefined
  return pages.find(({ pageUrl, proxyUrl }) => {
    return placeOf(pageUrl) === wanted || (proxyUrl !== null && placeOf(proxyUrl) === wanted)
  })
}

/** http and https are the same place: sites redirect from one to the other. Undefined if it is no address. */
export function placeOf(address: string): string | undefined {
  const url = URL.parse(address)
  // Without the lookbehind, a path of many slashes would be tried from each slash to the end: quadratic time.
  return url === null ? undefined : url.host + url.pathname.replace(/(?<!\/)\/+$/, '')
}
