// What commands have in common: the database, account or campaign that one works on, and who runs it.
import { statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { readSetting } from '../config.ts'
import type { Actor } from '../store/audit.ts'
import { UnusableDatabase } from '../store/errors.ts'
import type { Campaign } from '../store/model.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { need } from './arguments.ts'
import { secondsNow } from './now.ts'
import { WrongCall } from './wrong-call.ts'

/** What one command does with its arguments; what it returns is printed as one JSON document. */
export type Command = (args: string[]) => Promise<unknown>

/**
 * Runs `work` on the database and closes it, whatever happens. A mistyped DATABASE_URL must not leave an empty
 * database behind, or tables in another one, so only a command with `mayCreate` makes them. @throws WrongCall
 */
export async function withStore<T>(work: (store: Store) => Promise<T>, { mayCreate = false } = {}): Promise<T> {
  const location = readSetting('database')
  if (!mayCreate && location.engine === 'sqlite' && !isThere(location.path)) {
    throw new WrongCall(
      `DATABASE_URL: there is no database at ${location.path}; serve, migrate or account create makes one`,
    )
  }
  const store = await openStore(location, {
    lockWaitMs: 10_000,
    timeoutMs: 60_000,
    poolSize: 2,
    isServer: false,
    mayCreate,
  })
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** @throws UnusableDatabase if we cannot know: no access to the folder does not mean that there is no database */
export function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UnusableDatabase(`cannot use ${path} as a database: ${code}; run commands as the server's user`)
  }
}

/** The server's public URL; with the port of the settings, since a command cannot know of another. */
export const publicAddress = (): string => readSetting('publicUrl') ?? `http://localhost:${readSetting('port')}`

/** Says so where links begin with an address that works on this machine only: PUBLIC_URL may be set for the server only. */
export function warnOfAddress(): void {
  if (readSetting('publicUrl') !== null) return
  console.error(`lastcall: links begin with ${publicAddress()}, since PUBLIC_URL is not set`)
}

/** The system user who runs the command, for the audit log. */
export const commandActor = (): Actor => ({ kind: 'command', name: systemUser(), address: null, at: secondsNow() })

/** In a container the user may be a number without a name. */
function systemUser(): string {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.()}`
  }
}

/** Runs `work` on the account that the caller named. @throws WrongCall */
export async function withAccount<T>(
  id: number | undefined,
  work: (store: Store, accountId: number) => Promise<T>,
): Promise<T> {
  const accountId = need(id, '--account')
  return withStore(async (store) => {
    if ((await store.configuration.findAccount(accountId)) === undefined) {
      throw new WrongCall(`--account: there is no account ${accountId}`)
    }
    return work(store, accountId)
  })
}

/** Runs `work` on the campaign that the caller named. @throws WrongCall */
export async function withCampaign<T>(
  id: number | undefined,
  work: (store: Store, campaign: Campaign) => Promise<T>,
  name = '--campaign',
): Promise<T> {
  const campaignId = need(id, name)
  return withStore(async (store) => {
    const campaign = await store.configuration.findCampaign(campaignId)
    if (campaign === undefined) throw new WrongCall(`${name}: there is no campaign ${campaignId}`)
    return work(store, campaign)
  })
}
