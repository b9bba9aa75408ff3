// The only file that imports pg.
import { X509Certificate } from 'node:crypto'
import pg from 'pg'
import { zoneData } from '../../core/mechanism/zone.ts'
import { PartlyUnavailable, StoreUnavailable, WrongAddress } from '../errors.ts'
import type { Row, Value } from '../sql.ts'

/** A statement that every connection prepares once, under its name; without one it is parsed each time. */
export type Prepared = { name?: string; text: string }

export type Connection = {
  /** `?` stands for each value. */
  query(sql: string, values: readonly Value[]): Promise<{ rows: Row[]; changes: number }>
  /** Rows as arrays; values may be lists. */
  rows<T extends unknown[]>(statement: Prepared, values: readonly (Value | readonly Value[])[]): Promise<T[]>
}

export type Pool = ReturnType<typeof openPool>

type Work<T> = (connection: Connection) => Promise<T>

export type PoolOptions = {
  url: string
  /** Connections at most. */
  size: number
  /** How long a connection may take to open. */
  connectMs: number
  /** Settings of the sessions, such as `{ lock_timeout: '200' }`. */
  settings: Record<string, string>
  /** While it says no, nothing is sent, and every question fails with StoreUnavailable. */
  mayUse?: (() => boolean) | undefined
}

const types: pg.CustomTypesConfig = {
  // Every integer of ours fits a number; the driver would give those of 64 bits as text.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === pg.types.builtins.INT8) return Number
    return pg.types.getTypeParser(oid, format as 'text')
  }) as never,
}

/** @throws WrongAddress */
export function openPool(options: PoolOptions) {
  const pool = openConnections(options)

  /** After an error `undo` ends what `work` has begun. */
  async function use<T>(timeoutMs: number, work: (client: pg.PoolClient) => Promise<T>, undo: string): Promise<T> {
    if (options.mayUse?.() === false) throw new StoreUnavailable(notOurs)
    if (timeoutMs <= 0) throw notAnswered()
    const until = performance.now() + timeoutMs
    const connecting = pool.connect()
    const client = await inTime(connecting, timeoutMs).catch((error) => {
      connecting.then((unused) => unused.release()).catch(() => {})
      throw failure(error)
    })
    let isGood = false
    try {
      const done = work(client).catch(async (error) => {
        // An error of ours looks like one of the driver, but after it the connection answers.
        if (sqlState(error) === undefined || isRefusal(error)) isGood = await answers(client, undo)
        throw error
      })
      const result = await inTime(done, until - performance.now())
      client.release()
      return result
    } catch (error) {
      // Broken or late: nobody knows what it still does.
      if (!isGood) client.connection.stream.destroy()
      client.release(!isGood)
      throw isGood && sqlState(error) === undefined ? error : failure(error)
    }
  }

  return {
    /**
     * Lends a connection to `work`. Where that takes longer than `timeoutMs`, waiting for it included, the answer is
     * StoreUnavailable, and the connection is given up: nobody knows what it still waits for.
     */
    use: <T>(timeoutMs: number, work: Work<T>) => use(timeoutMs, (client) => work(connectionOf(client)), 'SELECT'),
    /** The same in a transaction; `mode` stands behind BEGIN. */
    transaction: <T>(timeoutMs: number, mode: string, work: Work<T>) =>
      use(timeoutMs, (client) => inTwoTrips(client, mode, work, async (_, result) => result), 'ROLLBACK'),
    /**
     * A transaction of two round trips, each in one packet: BEGIN with what `first` asks for at once, then all that
     * `last` asks for with COMMIT. So `last` asks for everything before it waits for anything: what comes later
     * would be outside the transaction, and fails.
     */
    inTwoTrips: <Known, T>(
      timeoutMs: number,
      first: Work<Known>,
      last: (connection: Connection, known: Known) => Promise<T>,
    ) => use(timeoutMs, (client) => inTwoTrips(client, '', first, last), 'ROLLBACK'),
    /** Opens as many connections as there may be. @throws StoreUnavailable where it gets fewer */
    async fill(): Promise<void> {
      const opened = await Promise.allSettled(Array.from({ length: options.size }, () => pool.connect()))
      for (const one of opened) if (one.status === 'fulfilled') one.value.release()
      const refused = opened.find((one) => one.status === 'rejected')
      if (refused !== undefined) throw failure(refused.reason)
    },
    /** From now on a connection may take so long to open. */
    limitConnecting(connectMs: number): void {
      pool.options.connectionTimeoutMillis = connectMs
    },
    close: () => pool.end(),
  }
}

type Address = pg.ClientConfig & { ssl: { ca?: string } }

/**
 * The address as the driver reads it, with the files that it names: for each connection it would read them again, also
 * in a callback, where what it throws ends the process. @throws WrongAddress
 */
function readAddress(connectionString: string): Address {
  try {
    const client = new pg.Client({ connectionString }) as unknown as { connectionParameters: Address }
    const address = client.connectionParameters
    // It takes a file without a certificate: that would trust nobody.
    if (address.ssl.ca !== undefined) new X509Certificate(address.ssl.ca)
    // It hides the password from what copies it.
    return { ...address, password: address.password }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code?.startsWith('ERR_OSSL') ? 'the file of sslrootcert has no certificate (PEM)' : message
    throw new WrongAddress(`cannot use the PostgreSQL of DATABASE_URL: ${why}`)
  }
}

/**
 * Of every session, whatever is usual for the database or the role. Above this level a transaction that waits for a lock
 * does not see what was committed meanwhile, and fails where it changes that.
 */
const always = { default_transaction_isolation: 'read committed' }

function openConnections({ url, size, connectMs, settings }: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    ...clientConfig(url, { ...always, ...settings }),
    max: size,
    min: 0,
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: connectMs,
    // A statement is sent when it is asked for, without waiting for the answers to those before.
    pipeline: true,
    // A node that only waits must not keep the process of a command alive.
    allowExitOnIdle: true,
  })
  // A connection may break while nobody uses it: the next user gets another.
  pool.on('error', () => {})
  // It may break while it is used. Then its statement fails; an error event without a listener would also end the
  // process.
  pool.on('connect', (client) => {
    client.on('error', () => {})
  })
  return pool
}

async function inTwoTrips<Known, T>(
  client: pg.PoolClient,
  mode: string,
  first: (connection: Connection) => Promise<Known>,
  last: (connection: Connection, known: Known) => Promise<T>,
): Promise<T> {
  let isOver = false
  const connection = connectionOf(client, () => {
    // Not a plain Error, which `failure` would take for one of the driver.
    if (isOver) throw new TypeError('asked behind COMMIT: `last` must ask for everything before it waits')
  })
  const [, known] = await together(client, () => [client.query(`BEGIN ${mode}`), first(connection)])
  const ended = together(client, () => [last(connection, known), client.query('COMMIT')])
  isOver = true
  const [result] = await ended
  return result
}

const answers = (client: pg.PoolClient, statement: string): Promise<boolean> =>
  client.query(statement).then(
    () => true,
    () => false,
  )

/** Sends in one packet what `ask` asks for: sending is most of what a small statement costs here. */
function together<A, B>(
  { connection: { stream } }: pg.PoolClient,
  ask: () => [Promise<A>, Promise<B>],
): Promise<[A, B]> {
  stream.cork()
  try {
    return Promise.all(ask())
  } finally {
    stream.uncork()
  }
}

/** The answer, or StoreUnavailable where it takes longer. */
export function inTime<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    // What has already arrived is read first: the answer may be in time, and this process late.
    const timer = setTimeout(() => setImmediate(() => reject(notAnswered())), Math.max(1, timeoutMs))
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

export type Listener = Awaited<ReturnType<typeof listen>>

/** Nobody waits for an answer that takes longer. */
const listenTimeoutMs = 900

/** A connection of its own that hears what is notified on `channel`. @throws StoreUnavailable */
export async function listen(config: pg.ClientConfig, channel: string, heard: () => void) {
  const client = new pg.Client({ ...config, connectionTimeoutMillis: listenTimeoutMs })
  client.on('error', () => {})
  client.on('notification', heard)
  const listener = {
    /** The first row of a statement. @throws StoreUnavailable when the connection does not answer in time */
    ask: (sql: string, timeoutMs: number): Promise<Row | undefined> =>
      inTime(client.query(sql), timeoutMs).then(
        ({ rows }) => rows[0],
        (error) => {
          throw failure(error)
        },
      ),
    close(): void {
      client.end().catch(() => {})
    },
  }
  try {
    await client.connect()
    await listener.ask(`LISTEN ${channel}`, listenTimeoutMs)
    return listener
  } catch (error) {
    listener.close()
    throw failure(error)
  }
}

/** `pg_stat_activity` shows it, so that nodes see which zone data the others use. */
export const applicationBegin = 'lastcall, zone data '
export const applicationName = () => applicationBegin + zoneData().version

/** @throws WrongAddress */
export function clientConfig(url: string, settings: Record<string, string>): pg.ClientConfig {
  const address = readAddress(url)
  const own = Object.entries(settings).map(([name, value]) => `-c ${name}=${value.replaceAll(' ', '\\ ')}`)
  return {
    ...address,
    application_name: applicationName(),
    keepAlive: true,
    types,
    // Ours win over those of the address.
    options: [address.options ?? '', ...own].join(' '),
  }
}

/** `check` is called before each question. */
function connectionOf(client: pg.PoolClient, check = () => {}): Connection {
  return {
    async query(sql, values) {
      check()
      const { rows, rowCount } = await client.query(numbered(sql), values as Value[])
      return { rows, changes: rowCount ?? 0 }
    },
    async rows<T extends unknown[]>(statement: Prepared, values: readonly unknown[]) {
      check()
      return (await client.query<T>({ ...statement, values: [...values], rowMode: 'array' })).rows
    },
  }
}

/** A statement in which `?` stands for each value, to be kept under that name. */
export const prepared = (name: string, sql: string): Prepared => ({ name, text: numbered(sql) })

/** The same for one that is not kept. */
export const unprepared = (sql: string): Prepared => ({ text: numbered(sql) })

/** `?` becomes `$1`, `$2` and so on. None of our statements has one inside a literal. */
function numbered(sql: string): string {
  let number = 0
  return sql.replaceAll('?', () => {
    number += 1
    return `$${number}`
  })
}

/** PostgreSQL's code of an error (https://www.postgresql.org/docs/current/errcodes-appendix.html). */
function sqlState(error: unknown): string | undefined {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/** Whether the statement failed, and the connection is still good. */
function isRefusal(error: unknown): boolean {
  const state = sqlState(error)
  return isOfServerBehind(error) || (state !== undefined && !/^(?:08|25|57P|58|F0|XX)/.test(state))
}

/** Whether PostgreSQL itself answers, but has lost a server behind it, such as a worker of Citus. */
function isOfServerBehind(error: unknown): boolean {
  return (sqlState(error)?.startsWith('0800') ?? false) && (error as pg.DatabaseError).severity === 'ERROR'
}

/**
 * Whether PostgreSQL ended the transaction because it and others waited for each other in a circle. Nothing of it was
 * done.
 */
function isDeadlock(error: unknown): boolean {
  return error instanceof StoreUnavailable && sqlState(error.cause ?? {}) === '40P01'
}

const mostTries = 5

/** Repeats a transaction that ends in a deadlock. On Citus rare writes may: each locks a row on every server. */
export async function despiteDeadlocks<T>(transact: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await transact()
    } catch (error) {
      if (!isDeadlock(error) || tries === mostTries) throw error
    }
  }
}

/** Classes of faults that lie in a statement or its values: defects of ours. All others are the database's. */
const defects = new Set(['0A', '21', '22', '23', '2B', '42'])

const unanswered = 'the database does not answer'
export const notOurs = 'another database has taken the place of ours, or a newer Lastcall has migrated it'

function notAnswered(): StoreUnavailable {
  return new StoreUnavailable(unanswered)
}

/** No such table, no such schema: both were there at the start. */
const gone = new Set(['42P01', '3F000'])

/** Whether our tables are gone. */
export function isGone(error: unknown): boolean {
  return error instanceof StoreUnavailable && gone.has(sqlState(error.cause ?? {}) ?? '')
}

/** Somebody has locked a row for longer than the statement may wait. */
const lockNotAvailable = '55P03'

/** What the rest of Lastcall gets to see of an error: defects and errors of ours as they are. */
function failure(error: unknown): unknown {
  const state = sqlState(error)
  if (state === undefined) {
    const isOurs = error instanceof Error && error.name !== 'Error' && !('code' in error)
    return isOurs ? error : new StoreUnavailable(unanswered, { cause: error })
  }
  if (gone.has(state)) return new StoreUnavailable('the tables are gone', { cause: error })
  if (defects.has(state.slice(0, 2))) return error
  if (isOfServerBehind(error)) return new PartlyUnavailable(unanswered, { cause: error })
  // Its own words, such as "cannot execute INSERT in a read-only transaction"; only those of defects have values.
  const Unavailable = state === lockNotAvailable ? PartlyUnavailable : StoreUnavailable
  return new Unavailable(`the database refused: ${(error as Error).message}`, { cause: error })
}
