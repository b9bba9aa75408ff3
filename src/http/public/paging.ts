// Pages of a list by ascending id, in the public API and those beside it.
import { Refusal } from '../errors.ts'
import { parseId } from '../framework.ts'

/** The id after which a page begins. @throws Refusal if it is no integer from 1 to 2^53-1 */
export function cursor(text: string | undefined): number {
  const id = text === undefined ? 0 : parseId(text)
  if (id === null) throw new Refusal('INVALID_CURSOR')
  return id
}

/** The first `limit` of what was found, and the id after which the next page begins. */
export function pageOf<Of extends { id: number }>(found: readonly Of[], limit: number) {
  const items = found.slice(0, limit)
  return { items, nextAfterId: found.length > items.length ? (items.at(-1)?.id ?? null) : null }
}
