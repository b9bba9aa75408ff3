// How a route of the panel's API is written: one object that says who may call it, checks what it is asked, and
// answers. The panel takes its types from it.
import type { Static, TSchema } from 'typebox'
import type { PasswordReset } from '../../access/password-reset.ts'
import type { Provider } from '../../access/provider.ts'
import type { Users } from '../../access/users.ts'
import type { ConfigCache } from '../../campaigns/config-cache.ts'
import type { Seconds } from '../../core/instant.ts'
import type { Site } from '../../core/offer.ts'
import type { Role } from '../../core/role.ts'
import type { Templates } from '../../countdown/templates.ts'
import type { Endpoints } from '../../events/endpoints.ts'
import type { HistoryReader } from '../../history/table.ts'
import type { Leads } from '../../leads/leads.ts'
import type { Mailer } from '../../mail/mailer.ts'
import type { Client, Session } from '../../store/access.ts'
import type { Actor } from '../../store/audit.ts'
import type { Campaign } from '../../store/model.ts'
import type { Store } from '../../store/store.ts'
import { panelBodyLimitBytes } from '../body-limits.ts'
import { PanelRefusal } from './errors.ts'
import type { Flow } from './flow.ts'
import type { Limits } from './rates-and-turns.ts'

/** What the routes work with. */
export type PanelParts = {
  store: Store
  configCache: ConfigCache
  leads: Leads
  users: Users
  passwordReset: PasswordReset
  /** Of OpenID Connect; null where the installation has none. */
  provider: Provider | null
  templates: Templates
  /** Requests of the public API, for an account without a limit of its own. */
  rateLimitPerMinute: number
  history: HistoryReader
  historyDays: number
  auditDays: number
  mailer: Mailer
  endpoints: Endpoints
  limits: Limits
  /** What links, timers and the downloaded description begin with. */
  site: Site
}

/** Throws where people sign in by the provider alone. */
export function needPasswords({ provider }: PanelParts): void {
  if (provider?.isOnly) throw new PanelRefusal('PASSWORDS_OFF')
}

/** Numbers in a path; with anything else in their place it is not found. */
const numberNames = ['campaignId', 'userId', 'endpointId'] as const
type NumberName = (typeof numberNames)[number]
export const isNumberName = (name: string) => numberNames.some((known) => known === name)

type ParamName<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamName<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

export type ParamsOf<Path extends string> = {
  [Name in ParamName<Path>]: Name extends NumberName ? number : string
}

/** The campaign that a path names: always one of the user's account. */
type CampaignOf<Path extends string> = 'campaignId' extends ParamName<Path> ? Campaign : unknown

export type Asked<Path extends string, Query, Body, Who> = {
  parts: PanelParts
  params: ParamsOf<Path>
  campaign: CampaignOf<Path>
  query: Query
  body: Body
  session: Who
  /** Of the session that came with the request, which may have ended; empty where none came. */
  token: string
  /** The address that tries are counted for. */
  address: string
  /** What a session that begins now is to remember. */
  client(): Client
  now: Seconds
  /** For the audit log. */
  by: Actor
  /** The same as of the moment in which it is called, for what first waits for images or a lock. */
  actor(): Actor
  /** Begins a session in this browser, or with null ends it. */
  setSession(token: string | null): void
  /** Keeps in this browser, sealed and for ten minutes, what signing in by the provider has begun. */
  keepFlow(flow: Flow): Promise<void>
  /** Logs a failure that the answer does not end with, such as one behind it. */
  note(error: unknown): void
}

type Of<Schema> = Schema extends TSchema ? Static<Schema> : undefined

/** Who may call a route. Viewers may call only those that change nothing in the account. */
type Access = 'anybody' | Role

export type Route<Path extends string = string, Query = any, Body = any, Answer = unknown> = {
  path: Path
  access: Access
  /** It changes nothing of the account, and is there while that is suspended. */
  reads: boolean
  /** It looks at much, for a large account or a long list: a user has one such request at a time, the next ones wait. */
  readsMuch: boolean
  query: TSchema | undefined
  body: TSchema | undefined
  /** Bytes. */
  bodyLimit: number
  run(asked: Asked<Path, Query, Body, any>): Promise<Answer>
}

/** NoInfer: TypeScript would look for the schemas behind the types of `asked` too, which takes tsc four seconds. */
type Given<Path extends string, Q, B, Who, Answer> = {
  /** Set on a POST that is not for viewers and still changes nothing. */
  reads?: boolean
  readsMuch?: boolean
  query?: Q
  body?: B
  bodyLimit?: number
  run(asked: Asked<Path, NoInfer<Of<Q>>, NoInfer<Of<B>>, Who>): Promise<Answer>
}

type Made<Path extends string, Q, B, Answer> = Record<Path, Route<Path, Of<Q>, Of<B>, Answer>>

function maker<Who>(access: Access) {
  return <
    const Path extends string,
    Answer,
    Q extends TSchema | undefined = undefined,
    B extends TSchema | undefined = undefined,
  >(
    path: Path,
    { reads, readsMuch = false, query, body, bodyLimit = panelBodyLimitBytes, run }: Given<Path, Q, B, Who, Answer>,
  ): Made<Path, Q, B, Answer> => {
    const isReading = reads ?? (access === 'viewer' || path.startsWith('GET '))
    const route = { path, access, reads: isReading, readsMuch, query, body, bodyLimit, run }
    return { [path]: route } as Made<Path, Q, B, Answer>
  }
}

/** `forMember('POST /campaigns/:campaignId/leads', { body, run })`: a table of one route, to be spread into others. */
export const forOwner = maker<Session>('owner')
export const forMember = maker<Session>('member')
export const forViewer = maker<Session>('viewer')
export const forAnybody = maker<Session | undefined>('anybody')
