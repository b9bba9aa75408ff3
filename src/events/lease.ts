// Which endpoints this node serves. While a worker of a Citus cluster is away, or somebody has locked the row of an
// endpoint, a question about all accounts fails: then each account is asked about separately, so that only accounts with
// rows on that worker wait, or only that endpoint.
import { randomUUID } from 'node:crypto'
import type { Seconds } from '../core/instant.ts'
import { PartlyUnavailable, StoreUnavailable } from '../store/errors.ts'
import type { Endpoint } from '../store/events/endpoint.ts'
import type { Sweep } from '../store/events/sweeps.ts'
import type { Store } from '../store/store.ts'

const renewMs = 5_000
/** A node that could not renew its lease for so long has lost the endpoint. */
const heldMs = 18_000
/** Accounts that are asked about separately, at a time. */
const atOnce = 2

/** Calls that need the database reject with StoreUnavailable if it does not answer. */
export type Lease = ReturnType<typeof openLease>

type LeaseStore = Pick<Store, 'events' | 'configuration'>

/** Where `isOn` is false, this node serves none. */
export function openLease(store: LeaseStore, isOn: boolean) {
  const { events } = store
  const holder = randomUUID()
  /** Those with endpoints. */
  let accounts: number[] = []
  /** Those of them that could be asked about at the last renewal. */
  let reached: number[] = []
  /** When each endpoint was last leased, by `performance.now`: of an account, some may be locked. */
  let heldAt = new Map<number, number>()
  let renewedAt = Number.NEGATIVE_INFINITY
  let hurriedAt = Number.NEGATIVE_INFINITY

  async function renew(): Promise<void> {
    const begunAt = performance.now()
    if (isOn) await leaseAll()
    renewedAt = begunAt
  }

  /** If an account cannot be asked about, only that one has failed. */
  async function leaseAll(): Promise<void> {
    accounts = await accountsToAsk(store, accounts)
    reached = await overAll(accounts, async (accountId) => {
      const at = performance.now()
      for (const id of await events.lease(holder, accountId)) heldAt.set(id, at)
      return accountId === undefined ? accounts : [accountId]
    })
    heldAt = new Map([...heldAt].filter(([id]) => isHeld(id)))
  }

  const isHeld = (endpointId: number) =>
    performance.now() - (heldAt.get(endpointId) ?? Number.NEGATIVE_INFINITY) < heldMs

  async function ask<T>(question: (accountId?: number) => Promise<T[]>): Promise<T[]> {
    if (accounts.length === 0) return []
    return overAll(reached, async (accountId) => {
      const answer = await question(accountId)
      // All can be reached again: those that were out of reach need not wait for the next renewal.
      if (accountId === undefined && reached.length < accounts.length) hurry()
      return answer
    })
  }

  /** Something has changed: renew at the next opportunity. */
  function hurry(): void {
    hurriedAt = performance.now()
  }

  return {
    isToRenew: () => hurriedAt > renewedAt || performance.now() - renewedAt >= renewMs,
    hurry,
    renew,
    isHeld,
    find: ({ accountId, id }: Endpoint) => events.findLeased(holder, accountId, id),
    due: (now: Seconds): Promise<Endpoint[]> => ask((accountId) => events.dueEndpoints(holder, now, accountId)),
    /** The same, with those whose servers are given a pause. */
    waiting: (now: Seconds): Promise<Endpoint[]> =>
      ask((accountId) => events.dueEndpoints(holder, now, accountId, Number.MAX_SAFE_INTEGER)),
    sweeps: (): Promise<Sweep[]> => ask((accountId) => events.sweeps(holder, accountId)),
    async release(): Promise<void> {
      await ask(async (accountId) => {
        await events.release(holder, accountId)
        return []
      })
    },
  }
}

/** Accounts with endpoints. If that cannot be asked: those known before, or all, where the node has just started. */
async function accountsToAsk({ events, configuration }: LeaseStore, known: number[]): Promise<number[]> {
  try {
    return await events.accountsWithEndpoints()
  } catch (error) {
    if (!(error instanceof PartlyUnavailable)) throw error
    return known.length > 0 ? known : (await configuration.listAccounts()).map(({ id }) => id)
  }
}

/** Asks `question` of all accounts at once or, if that fails, of each one that can be asked. */
async function overAll<T>(ids: readonly number[], question: (accountId?: number) => Promise<T[]>): Promise<T[]> {
  try {
    return await question()
  } catch (error) {
    if (!(error instanceof PartlyUnavailable)) throw error
  }
  const answers: T[] = []
  const left = ids.values()
  const next = async () => {
    for (const id of left) {
      try {
        answers.push(...(await question(id)))
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, next))
  return answers
}
