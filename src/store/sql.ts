// SQL as both engines read it: values stand as `?`, booleans are 0 and 1, instants are seconds.
export type Value = string | number | Uint8Array | null
export type Row = Record<string, any>
export type Statement = [sql: string, ...values: Value[]]

/**
 * Statements that see, or belong to, one transaction. Wait for nothing else between them: on SQLite they are all to
 * run in one turn of the event loop, or what comes in between finds the transaction open, or the database locked.
 */
export type Sql = {
  /** How many rows one statement may name. */
  rowsAtOnce: number
  /** How many rows of counts one statement has. */
  countsAtOnce: number
  all(sql: string, ...values: Value[]): Promise<Row[]>
  get(sql: string, ...values: Value[]): Promise<Row | undefined>
  /** Resolves with the number of rows that were changed. */
  run(sql: string, ...values: Value[]): Promise<number>
  /** Which state of the account's settings, keys and campaigns this transaction sees. */
  versionOf(accountId: number): Promise<number>
  /** From here on until the transaction ends nobody changes them. */
  holdSettings(accountId: number): Promise<void>
  /** From here on until the transaction ends no lead of the account is erased, and no campaign deleted. */
  holdCounted(accountId: number): Promise<void>
  /** From here on until the transaction ends nobody stores counts of the account. Before any row is written. */
  stopCounts(accountId: number): Promise<void>
  /**
   * Before settings, keys or campaigns of the account are changed: from here on until the transaction ends nobody else
   * changes or holds them. Afterwards every server reads them again.
   */
  beginChange(accountId: number): Promise<void>
}

/** How an engine reads and writes. Each rejects with StoreUnavailable where the database does not answer. */
export type Runner = {
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** All reads of `work` see one moment. */
  snapshot<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** In one transaction. */
  write<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** The same for a request of an API: what is given up keeps no connection, and no lock. */
  writeInTime<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** In one transaction that does not wait for the disk: a crash may lose it. */
  writeUnflushed<T>(work: (sql: Sql) => Promise<T>): Promise<T>
}

/** The conditions that have a value, joined for WHERE. */
export function allOf(conditions: readonly [sql: string, ...values: (Value | undefined)[]][]) {
  const given = conditions.filter(([, value]) => value !== undefined)
  return {
    where: given.map(([sql]) => sql).join(' AND '),
    values: given.flatMap(([, ...values]) => values) as Value[],
  }
}

/** As many as one statement takes, and then the next ones. */
export function inParts<Item>(items: readonly Item[], size: number): Item[][] {
  const count = Math.ceil(items.length / size)
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size))
}

type OnSql = (sql: Sql, ...args: never[]) => Promise<unknown>
type Bound<Work extends OnSql> = Work extends (sql: Sql, ...args: infer Args) => infer Result
  ? (...args: Args) => Result
  : never

/** Functions over statements as a part of the store: each call gets its statements from `run`. */
export function boundTo<Part extends Record<string, OnSql>>(
  run: Runner['read'],
  part: Part,
): { [Name in keyof Part]: Bound<Part[Name]> } {
  const bound = Object.entries(part).map(([name, work]) => [
    name,
    (...args: never[]) => run((sql) => work(sql, ...args)),
  ])
  return Object.fromEntries(bound)
}
