// The request history: read in steps of a bounded size, each of which says how far it got.
import Type, { type Static } from 'typebox'
import { keyHint } from '../../core/api-key.ts'
import { type ErrorCode, errorStatus } from '../../core/errors.ts'
import { operations } from '../../core/operations.ts'
import type { BatchRange } from '../../history/places.ts'
import type { EntryBatch } from '../../history/reading.ts'
import type { Session } from '../../store/access.ts'
import { PanelRefusal } from './errors.ts'
import { type Asked, forReader } from './route.ts'
import { closed } from './schemas.ts'

type Entry = EntryBatch['entries'][number]

/** Limits of one step: entries looked at, and readings of the history. */
const entriesOfStep = 50_000
const readingsOfStep = 25
const barsAtMost = 96
/** Widths of the bars of a chart, in seconds. */
const barWidths = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200],
  ...[86_400, 604_800, 2_592_000],
]
/** What was stored together was answered within so many milliseconds, with room to spare. */
const batchSpanMs = 60_000

const Milliseconds = Type.String({ pattern: '^[0-9]{1,15}$' })
/** A batch and how many of its entries are behind the reader: `1765432100000001.17`. */
const Position = Type.String({ pattern: '^[0-9]{1,16}\\.[0-9]{1,6}$' })
const codes = Object.keys(errorStatus) as ErrorCode[]

const filters = {
  /** The times between which entries are meant, the second excluded; the last days where left out. */
  from: Type.Optional(Milliseconds),
  to: Type.Optional(Milliseconds),
  key: Type.Optional(Type.String({ pattern: '^[0-9a-f-]{36}$' })),
  operation: Type.Optional(Type.Enum([...operations])),
  statusClass: Type.Optional(Type.Enum(['2', '4', '5'])),
  code: Type.Optional(Type.Enum(codes)),
  /** Its beginning is enough. */
  requestId: Type.Optional(Type.String({ pattern: '^[0-9a-f-]{1,36}$' })),
  before: Type.Optional(Position),
}
const Filters = Type.Object(filters, closed)
type Filters = Static<typeof Filters>

const ListQuery = Type.Object(
  {
    ...filters,
    /** Only what was stored behind it, such as `head` of an earlier answer. */
    after: Type.Optional(Position),
    limit: Type.Enum(['50', '1000']),
  },
  closed,
)

export const historyRoutes = {
  /** What there is to choose from. */
  ...forReader('GET /history/choices', {
    async run({ session, parts }) {
      const keys = await parts.store.configuration.listKeys(session.account.id)
      return {
        days: parts.historyDays,
        operations,
        codes,
        keys: keys.map(({ id, name }) => ({ id, name, hint: keyHint(id) })),
      }
    },
  }),
  ...forReader('GET /history', {
    query: ListQuery,
    async run(asked) {
      const entries: Entry[] = []
      const limit = Number(asked.query.limit)
      const step = await walk(asked, rangeOf(asked), (entry) => entries.push(entry) < limit)
      return { entries: entries.map(shown), ...step }
    },
  }),
  /** How many entries of each sort of status fall into each bar. Whoever adds up the steps has them all. */
  ...forReader('GET /history/counts', {
    query: Filters,
    async run(asked) {
      const { fromMs, toMs } = rangeOf(asked)
      const width = widthOf(toMs - fromMs)
      const bars = new Map<number, Bar>()
      const step = await walk(asked, { fromMs, toMs }, ({ atMs, status }) => {
        const at = Math.floor(atMs / 1_000 / width) * width
        const bar = bars.get(at) ?? { at, succeeded: 0, refused: 0, failed: 0 }
        bar[classOf(status)] += 1
        bars.set(at, bar)
        return true
      })
      return { fromMs, toMs, barSeconds: width, bars: [...bars.values()], ...step }
    },
  }),
}

/** `at` is its beginning, in seconds. */
export type Bar = { at: number; succeeded: number; refused: number; failed: number }

function classOf(status: number): 'succeeded' | 'refused' | 'failed' {
  if (status < 400) return 'succeeded'
  return status < 500 ? 'refused' : 'failed'
}

function widthOf(spanMs: number): number {
  return barWidths.find((width) => spanMs / 1_000 / width <= barsAtMost) ?? (barWidths.at(-1) as number)
}

type AskedHistory = Asked<string, Filters & { after?: string }, undefined, Session>
type Range = { fromMs: number; toMs: number }

/** @throws PanelRefusal */
function rangeOf({ query, parts, now }: AskedHistory): Range {
  const fromMs = Number(query.from ?? (now - parts.historyDays * 86_400) * 1_000)
  // What arrives while this is answered belongs to it.
  const toMs = Number(query.to ?? (now + 1) * 1_000)
  if (toMs <= fromMs) throw new PanelRefusal('INVALID', [{ path: 'to', message: 'must be after from' }])
  return { fromMs, toMs }
}

/** Where the next step goes on, and up to when this one has read; both null where nothing is left. */
type Step = { next: string | null; readToMs: number | null; head: string }

/** Shows `take` the entries that the filters let through, newest first, until it has enough or the step ends. */
async function walk(asked: AskedHistory, range: Range, take: (entry: Entry) => boolean): Promise<Step> {
  const { query, parts, session } = asked
  const start = positionOf(query.before)
  const fits = filterOf(query, range)
  let head = query.before ?? query.after ?? `${range.fromMs * 1_000}.0`
  let isFirst = true
  let looked = 0
  let readings = 0
  for await (const batches of parts.readHistory(session.account.id, batchRange(query, range))) {
    for (const { id, entries } of batches) {
      const skipped = id === start?.id ? start.skipped : 0
      if (isFirst) head = `${id}.${entries.length}`
      isFirst = false
      for (const [index, entry] of entries.entries()) {
        if (index < skipped || !fits(entry) || take(entry)) continue
        return { next: `${id}.${index + 1}`, readToMs: entry.atMs, head }
      }
      looked += entries.length
      if (looked >= entriesOfStep)
        return { next: `${id}.${entries.length}`, readToMs: Math.floor(id / 1_000), head }
    }
    readings += 1
    const last = batches.at(-1) as EntryBatch
    if (readings >= readingsOfStep)
      return { next: `${last.id}.${last.entries.length}`, readToMs: Math.floor(last.id / 1_000), head }
  }
  return { next: null, readToMs: null, head }
}

function positionOf(text: string | undefined): { id: number; skipped: number } | undefined {
  if (text === undefined) return undefined
  const [id, skipped] = text.split('.')
  return { id: Number(id), skipped: Number(skipped) }
}

function batchRange({ before, after }: AskedHistory['query'], { fromMs, toMs }: Range): BatchRange {
  const start = positionOf(before)
  const end = positionOf(after)
  return {
    beforeId: Math.min(
      start === undefined ? Number.MAX_SAFE_INTEGER : start.id + 1,
      (toMs + batchSpanMs) * 1_000,
    ),
    sinceId: Math.max(end === undefined ? 0 : end.id + 1, fromMs * 1_000),
  }
}

function filterOf(query: Filters, { fromMs, toMs }: Range): (entry: Entry) => boolean {
  const { key, operation, statusClass, code, requestId } = query
  const status = statusClass === undefined ? undefined : Number(statusClass)
  return (entry) =>
    entry.atMs >= fromMs &&
    entry.atMs < toMs &&
    (key === undefined || entry.keyId === key) &&
    (operation === undefined || entry.operation === operation) &&
    (status === undefined || Math.floor(entry.status / 100) === status) &&
    (code === undefined || entry.errorCode === code) &&
    (requestId === undefined || entry.requestId.startsWith(requestId))
}

function shown({ accountId: _, ...entry }: Entry) {
  return { ...entry, keyHint: keyHint(entry.keyId) }
}
