import type { PageSettings } from './campaign.ts'

/**
 * Which of the campaign's pages stands at an address that a browser had: the same site and path, whatever query,
 * fragment or slash at the end it was opened with. Undefined where none does.
 */
export function pageAt<Page extends PageSettings>(pages: readonly Page[], address: string): Page | undefined {
  const wanted = placeOf(address)
  if (wanted === undefined) return undefined
  return pages.find(({ pageUrl, proxyUrl }) => {
    return placeOf(pageUrl) === wanted || (proxyUrl !== null && placeOf(proxyUrl) === wanted)
  })
}

/** http and https are one place: sites send from one to the other. Undefined where it is no address. */
export function placeOf(address: string): string | undefined {
  const url = URL.parse(address)
  // Without the look behind, a path of slashes and a letter would be tried from each of its slashes to the end.
  return url === null ? undefined : url.host + url.pathname.replace(/(?<!\/)\/+$/, '')
}
