// The request history: one page of its entries, and how many requests came in each interval.
import Type, { type Static } from 'typebox'
import { keyHint } from '../../core/api-key.ts'
import { type ErrorCode, errorStatus } from '../../core/errors.ts'
import { operations } from '../../core/operations.ts'
import type { Cursor, HistoryFilter } from '../../history/table.ts'
import type { Session } from '../../store/access.ts'
import { closed } from '../schemas.ts'
import { invalid } from './errors.ts'
import { type Asked, forViewer } from './route.ts'

/** Of the newest campaigns the history shows the names. */
const mostNames = 1_000
/** The most requests that are counted by key, and the time in which. */
const mostCounted = 100_000
const countedSeconds = 86_400

const barsAtMost = 96
/** Widths of the bars of a chart, in seconds. */
const barWidths = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400, 604_800, 2_592_000,
]

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
const Milliseconds = Type.String({ pattern: '^[0-9]{1,15}$' })
/** An entry's milliseconds and request id: `1765432100000.64c1d6eb-…`. */
const Position = Type.String({ pattern: `^[0-9]{1,15}\\.${uuid}$` })
const codes = Object.keys(errorStatus) as ErrorCode[]

const filters = {
  /** Entries from the first time on and before the second; by default the last days. */
  from: Type.Optional(Milliseconds),
  to: Type.Optional(Milliseconds),
  key: Type.Optional(Type.String({ pattern: `^${uuid}$` })),
  operation: Type.Optional(Type.Enum([...operations])),
  statusClass: Type.Optional(Type.Enum(['2', '4', '5'])),
  code: Type.Optional(Type.Enum(codes)),
  /** Its beginning is enough. */
  requestId: Type.Optional(Type.String({ pattern: '^[0-9a-f-]{1,36}$' })),
}
const Filters = Type.Object(filters, closed)
type Filters = Static<typeof Filters>

const ListQuery = Type.Object(
  {
    ...filters,
    /** Only older entries, such as from `next` of the previous page. */
    before: Type.Optional(Position),
    /** Only newer entries, such as than `head` of an earlier answer. */
    after: Type.Optional(Position),
    limit: Type.Enum(['50', '1000']),
  },
  closed,
)

export const historyRoutes = {
  /** What there is to choose from. */
  ...forViewer('GET /history/choices', {
    async run({ session, parts, now }) {
      const { configuration } = parts.store
      const { working, ended } = await configuration.listRecentKeys(session.account.id, now)
      const campaigns = await configuration.listNewestCampaigns(session.account.id, mostNames)
      return {
        campaigns: campaigns.map(({ id, name }) => ({ id, name })),
        days: parts.historyDays,
        /** Requests have the service's time; the clock of a reader may be hours away from it. */
        now,
        operations,
        codes,
        keys: [...working, ...ended].map(({ id, name }) => ({ id, name, hint: keyHint(id) })),
      }
    },
  }),
  /** How many of the newest requests of the last 24 hours came with each key; `isAll` if these are all. */
  ...forViewer('GET /history/keys', {
    readsMuch: true,
    async run({ session, parts, now }) {
      const keys = await parts.history.byKey(session.account.id, (now - countedSeconds) * 1_000, mostCounted)
      return { keys, isAll: keys.reduce((sum, { requests }) => sum + requests, 0) < mostCounted }
    },
  }),
  /** Newest first. `next` is where the next page begins, null if nothing is left. */
  ...forViewer('GET /history', {
    readsMuch: true,
    query: ListQuery,
    async run(asked) {
      const { query, parts, session } = asked
      const limit = Number(query.limit)
      const filter = filterOf(asked)
      const range = { before: cursorOf(query.before), after: cursorOf(query.after), limit: limit + 1 }
      const found = await parts.history.page(session.account.id, filter, range)
      const entries = found.slice(0, limit).map((entry) => ({ ...entry, keyHint: keyHint(entry.keyId) }))
      const [newest, oldest] = [entries[0], entries.at(-1)]
      return {
        entries,
        next: oldest && found.length > limit ? positionOf(oldest) : null,
        head: newest ? positionOf(newest) : (query.after ?? `${filter.fromMs}.${noId}`),
      }
    },
  }),
  /** How many entries of each sort of status fall into each bar. */
  ...forViewer('GET /history/counts', {
    readsMuch: true,
    query: Filters,
    async run(asked) {
      const filter = filterOf(asked)
      const { fromMs, toMs } = filter
      const barSeconds = widthOf(toMs - fromMs)
      const bars = await asked.parts.history.bars(asked.session.account.id, filter, barSeconds)
      return { fromMs, toMs, barSeconds, bars }
    },
  }),
}

function widthOf(spanMs: number): number {
  return barWidths.find((width) => spanMs / 1_000 / width <= barsAtMost) ?? (barWidths.at(-1) as number)
}

/** @throws PanelRefusal */
function filterOf({ query, parts, now }: Asked<string, Filters, undefined, Session>): HistoryFilter {
  const { key, operation, statusClass, code, requestId } = query
  const fromMs = Number(query.from ?? (now - parts.historyDays * 86_400) * 1_000)
  // Includes what arrives while this is answered.
  const toMs = Number(query.to ?? (now + 1) * 1_000)
  if (toMs <= fromMs) throw invalid('to', 'must be after from')
  const status = statusClass === undefined ? undefined : Number(statusClass)
  return { fromMs, toMs, keyId: key, operation, statusClass: status, errorCode: code, requestId }
}

/** Comes before every entry of its millisecond. */
const noId = '00000000-0000-0000-0000-000000000000'

const positionOf = ({ atMs, requestId }: Cursor) => `${atMs}.${requestId}`

function cursorOf(position: string | undefined): Cursor | undefined {
  const [atMs, requestId] = position?.split('.') ?? []
  return requestId === undefined ? undefined : { atMs: Number(atMs), requestId }
}
