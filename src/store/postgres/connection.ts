// The only file that imports pg.
import pg from 'pg'
import { StoreUnavailable } from '../errors.ts'
import type { Row, Value } from '../sql.ts'

/** A statement that every connection prepares once, under its name; without one it is parsed each time. */
export type Prepared = { name?: string; text: string }

export type Connection = {
  /** `?` stands for each value. */
  query(sql: string, values: readonly Value[]): Promise<{ rows: Row[]; changes: number }>
  /** Rows as arrays; values may be lists. */
  rows<T extends unknown[]>(statement: Prepared, values: readonly (Value | readonly Value[])[]): Promise<T[]>
}

export type Pool = {
  /**
   * Lends a connection to `work`. Whoever takes longer than `patienceMs`, waiting for it included, gets
   * StoreUnavailable, and the connection is given up: nobody knows what it still waits for.
   */
  use<T>(patienceMs: number, work: (connection: Connection) => Promise<T>): Promise<T>
  /** The same in a transaction; `mode` stands behind BEGIN. */
  transaction<T>(patienceMs: number, mode: string, work: (connection: Connection) => Promise<T>): Promise<T>
  /**
   * Reads, then writes what is made of that, in one transaction. What `read` asks for at once is sent along with BEGIN,
   * and COMMIT along with `write`, which must ask for everything at once: two round trips, each in one packet.
   */
  decide<Known, T>(
    patienceMs: number,
    read: (connection: Connection) => Promise<Known>,
    write: (connection: Connection, known: Known) => Promise<T>,
  ): Promise<T>
  /** Opens as many connections as there may be. @throws StoreUnavailable where it gets fewer */
  fill(): Promise<void>
  /** From now on a connection may take so long to open. */
  limitConnecting(connectMs: number): void
  close(): Promise<void>
}

export type PoolOptions = {
  url: string
  /** Connections at most. */
  size: number
  /** How long a connection may take to open. */
  connectMs: number
  /** Settings of the sessions, such as `{ lock_timeout: '200' }`. */
  settings: Record<string, string>
  /** Where it says no, nothing is asked, and whoever asks gets StoreUnavailable. */
  mayUse?(): boolean
}

/** Longer than any answer takes that somebody still waits for. */
const connectTimeoutMs = 900

const types: pg.CustomTypesConfig = {
  // Every integer of ours fits a number; the driver would give those of 64 bits as text.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return Number
    return pg.types.getTypeParser(oid, format as 'text')
  }) as never,
}

export function openPool({ url, size, connectMs, settings, mayUse }: PoolOptions): Pool {
  const pool = new pg.Pool({
    ...clientConfig(url, settings),
    max: size,
    min: 0,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: connectMs,
    // Statements are sent as they are asked for, without waiting for the answers to those before.
    pipeline: true,
    // A node that only waits must not keep the process of a command alive.
    allowExitOnIdle: true,
  })
  // A connection that breaks while nobody uses it: the next one who needs one gets another.
  pool.on('error', () => {})
  // One that breaks while it is used: whoever waits for its statement is told, and an event that nobody hears
  // would end the process.
  pool.on('connect', (client) => {
    client.on('error', () => {})
  })

  async function use<T>(
    patienceMs: number,
    work: (connection: Connection, together: Together) => Promise<T>,
  ): Promise<T> {
    if (patienceMs <= 0 || mayUse?.() === false) throw notAnswered()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      // Not before what has arrived meanwhile is read: it may be us who were late.
      timer = setTimeout(() => setImmediate(() => reject(notAnswered())), patienceMs)
    })
    const connecting = pool.connect()
    const client = await Promise.race([connecting, late]).catch((error) => {
      clearTimeout(timer)
      connecting.then((unused) => unused.release()).catch(() => {})
      throw failure(error)
    })
    try {
      const result = await Promise.race([work(connectionOf(client), togetherOn(client)), late])
      client.release()
      return result
    } catch (error) {
      // What PostgreSQL refused leaves the connection as it was; after all else nobody knows what it still does.
      if (!isRefusal(error)) client.connection.stream.destroy()
      client.release(!isRefusal(error))
      throw failure(error)
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    use,
    transaction: (patienceMs, mode, work) =>
      use(patienceMs, (connection) =>
        orRolledBack(connection, async () => {
          await connection.query(`BEGIN ${mode}`, [])
          const result = await work(connection)
          await connection.query('COMMIT', [])
          return result
        }),
      ),
    decide: (patienceMs, read, write) =>
      use(patienceMs, (connection, together) =>
        orRolledBack(connection, async () => {
          const [, known] = await together(() => [connection.query('BEGIN', []), read(connection)])
          const [result] = await together(() => [write(connection, known), connection.query('COMMIT', [])])
          return result
        }),
      ),
    async fill() {
      const opened = await Promise.allSettled(Array.from({ length: size }, () => pool.connect()))
      for (const one of opened) if (one.status === 'fulfilled') one.value.release()
      const refused = opened.find((one) => one.status === 'rejected')
      if (refused !== undefined) throw failure(refused.reason)
    },
    limitConnecting(connectMs) {
      pool.options.connectionTimeoutMillis = connectMs
    },
    close: () => pool.end(),
  }
}

async function orRolledBack<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isRefusal(error)) await connection.query('ROLLBACK', [])
    throw error
  }
}

/** Sends in one packet what `ask` asks for: sending is most of what a statement costs here. */
type Together = <A, B>(ask: () => [Promise<A>, Promise<B>]) => Promise<[A, B]>

function togetherOn({ connection: { stream } }: pg.PoolClient): Together {
  return (ask) => {
    stream.cork()
    try {
      return Promise.all(ask())
    } finally {
      stream.uncork()
    }
  }
}

export type Listener = {
  /** The first row of a statement. @throws StoreUnavailable when the connection does not answer in time */
  ask(sql: string, patienceMs: number): Promise<Row | undefined>
  close(): void
}

/** A connection of its own that hears what is notified on `channel`. @throws StoreUnavailable */
export async function listen(url: string, channel: string, heard: () => void): Promise<Listener> {
  const client = new pg.Client({ ...clientConfig(url, {}), connectionTimeoutMillis: connectTimeoutMs })
  client.on('error', () => {})
  client.on('notification', heard)
  const close = () => {
    client.end().catch(() => {})
  }
  try {
    await client.connect()
    await answered(client.query(`LISTEN ${channel}`), connectTimeoutMs)
  } catch (error) {
    close()
    throw failure(error)
  }
  return {
    ask: async (sql, patienceMs) => {
      try {
        return (await answered(client.query(sql), patienceMs)).rows[0]
      } catch (error) {
        throw failure(error)
      }
    },
    close,
  }
}

function answered<T>(query: Promise<T>, patienceMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => setImmediate(() => reject(notAnswered())), patienceMs)
    query.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function clientConfig(url: string, settings: Record<string, string>): pg.ClientConfig {
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  return {
    connectionString: url,
    application_name: 'lastcall',
    keepAlive: true,
    types,
    ...(options.length > 0 && { options: options.join(' ') }),
  }
}

function connectionOf(client: pg.PoolClient): Connection {
  return {
    async query(sql, values) {
      const { rows, rowCount } = await client.query(numbered(sql), values as Value[])
      return { rows, changes: rowCount ?? 0 }
    },
    async rows<T extends unknown[]>(statement: Prepared, values: readonly unknown[]) {
      return (await client.query<T>({ ...statement, values: [...values], rowMode: 'array' })).rows
    },
  }
}

const numberedTexts = new Map<string, string>()

/** `?` becomes `$1`, `$2` and so on. None of our statements has one inside a literal. */
function numbered(sql: string): string {
  let text = numberedTexts.get(sql)
  if (text === undefined) {
    let count = 0
    text = sql.replace(/\?/g, () => {
      count += 1
      return `$${count}`
    })
    // Statements of many rows have a text for each number of rows: too many to be kept.
    if (sql.length < 4_000) numberedTexts.set(sql, text)
  }
  return text
}

/** PostgreSQL's code of an error (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
export function sqlState(error: unknown): string | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/** A statement that failed on a connection that did not. */
function isRefusal(error: unknown): boolean {
  const state = sqlState(error)
  return state !== undefined && !/^(?:08|25|57P|58|F0|XX)/.test(state)
}

/** Classes of faults that lie in a statement or its values: defects of ours. All others are the database's. */
const defects = new Set(['0A', '21', '22', '23', '2B', '42'])

export function notAnswered(): StoreUnavailable {
  return new StoreUnavailable('the database does not answer')
}

/** No such table, no such schema: they were there when we began. */
const gone = new Set(['42P01', '3F000'])

/** Whether what we work on has been taken away from beneath us. */
export function isGone(error: unknown): boolean {
  return error instanceof StoreUnavailable && gone.has(sqlState(error.cause ?? {}) ?? '')
}

/** What the rest of Lastcall gets to see of an error. */
function failure(error: unknown): unknown {
  const isOurs = error instanceof Error && error.name !== 'Error' && error.name !== 'DatabaseError'
  const state = sqlState(error)
  if (state !== undefined && gone.has(state))
    return new StoreUnavailable('the tables are gone', { cause: error })
  if (state === undefined ? isOurs && !isSystemError(error) : defects.has(state.slice(0, 2))) return error
  return new StoreUnavailable('the database does not answer', { cause: error })
}

function isSystemError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException).code === 'string'
}
