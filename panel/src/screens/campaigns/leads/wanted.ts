// Which leads the reader wants to see. It stands in the address of the page, but for what they search for: no email
// stands in an address.
import { useAddress } from '../../../parts/address.ts'
import { type Sort, type State, sorts } from './use-leads.ts'

export const states = ['pending', 'scheduled', 'open', 'expired'] as const satisfies readonly State[]

/** A page takes as long as all before it. */
export const lastPage = 1_000

type Wanted = { state: State | null; sort: Sort; isAnywhere: boolean; page: number }

export function useWanted() {
  const [address, put] = useAddress()
  const wanted: Wanted = {
    state: states.find((one) => one === address.get('state')) ?? null,
    sort: sorts.find((one) => one === address.get('sort')) ?? 'email',
    isAnywhere: address.get('search') === 'anywhere',
    page: Math.min(lastPage, Math.max(1, Math.floor(Number(address.get('page'))) || 1)),
  }
  /** Another page is a step that the way back undoes; anything else begins with the first page. */
  const want = (changes: Partial<Wanted>) => {
    const next = { ...wanted, page: 1, ...changes }
    const all = {
      state: next.state ?? '',
      sort: next.sort === 'email' ? '' : next.sort,
      search: next.isAnywhere ? 'anywhere' : '',
      page: next.page === 1 ? '' : String(next.page),
    }
    put(all, changes.page === undefined)
  }
  const query = address.size === 0 ? '' : `?${address}`
  return { ...wanted, want, query }
}
