import type { Dataset } from './dataset.ts'
import { firstNewIndex } from './emails.ts'
import type { Load } from './load.ts'

export type Operation = {
  name: 'lookup' | 'repeat' | 'list' | 'new'
  title: string
  /** Whether the peer is measured beside it. */
  againstPeer: boolean
  /** What goes to one dataset, with the emails that are not registered yet counted from `fresh`. */
  request(dataset: Dataset, fresh: number): Pick<Load, 'method' | 'path' | 'key' | 'emails' | 'status'>
}

const base = '/api/public/v1/campaigns'

/** New registrations come last, because they change the size of the database. */
export const operations: Operation[] = [
  {
    name: 'lookup',
    title: 'Lookup',
    againstPeer: true,
    request: ({ campaignId, key, leads }) => ({
      method: 'POST',
      path: `${base}/${campaignId}/leads/lookup`,
      key,
      emails: { pick: 'random', count: leads },
      status: 200,
    }),
  },
  {
    name: 'repeat',
    title: 'Repeated registration',
    againstPeer: false,
    request: ({ campaignId, key, leads }) => ({
      method: 'POST',
      path: `${base}/${campaignId}/leads`,
      key,
      emails: { pick: 'random', count: leads },
      status: 200,
    }),
  },
  {
    name: 'list',
    title: 'List of campaigns',
    againstPeer: false,
    request: ({ key }) => ({ method: 'GET', path: base, key, emails: null, status: 200 }),
  },
  {
    name: 'new',
    title: 'Registration of new leads',
    againstPeer: true,
    request: ({ campaignId, key }, fresh) => ({
      method: 'POST',
      path: `${base}/${campaignId}/leads`,
      key,
      emails: { pick: 'next', from: firstNewIndex + fresh },
      status: 201,
    }),
  },
]
