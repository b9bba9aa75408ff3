/** Mail services append a handful. A link of 8 kB may have thousands, which took longer than the rest of its request. */
export const mostAdded = 200

/**
 * Where a CTA link leads: to the page's address with the link's own query added, as mail services append it, and with
 * `lc` in place of any that is there (contract, "What opening does"). Of parameters with the same name the page's
 * count, and of the link's own the first 200. Everything else stays as it is written.
 */
export function ctaAddress(page: string, ref: string, linkQuery = ''): string {
  const [whole, fragment] = cut(page, '#')
  const [path, query] = cut(whole, '?')
  const own = parametersOf(query.slice(1))
  const names = new Set(['lc', ...own.map(({ name }) => name)])
  const taken = linkQuery.split('&', mostAdded).join('&')
  const added = parametersOf(taken).filter(({ name, text }) => text !== '' && !names.has(name))
  const kept = [...own.filter(({ name }) => name !== 'lc'), ...added]
  return `${path}?${kept.map(({ text }) => `${text}&`).join('')}lc=${ref}${fragment}`
}

/** The text before the mark, and the rest from the mark on. */
function cut(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at)]
}

/** Each part as it is written, with its name as a page reads it: `%6cc` is `lc`. */
function parametersOf(query: string): { text: string; name: string | undefined }[] {
  if (query === '') return []
  // URLSearchParams drops a question mark at the start. Empty parts have no name.
  const names = new URLSearchParams(`&${query}`).keys()
  return query.split('&').map((text) => ({ text, name: text === '' ? undefined : names.next().value }))
}
