// Everything that a database file holds, whatever its tables are called.
import { DatabaseSync } from 'node:sqlite'

/** Every row of every table, as text, without the tables whose name the pattern matches. */
export function rowsOf(databasePath: string, except = /^$/): Record<string, string[]> {
  const database = new DatabaseSync(databasePath, { readOnly: true })
  try {
    const tables = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").all()
    const names = tables.map(({ name }) => String(name)).filter((name) => !except.test(name))
    return Object.fromEntries(
      names.map((name) => {
        const rows = database.prepare(`SELECT * FROM "${name}"`)
        rows.setReadBigInts(true)
        return [name, rows.all().map(textOf).sort()]
      }),
    )
  } finally {
    database.close()
  }
}

function textOf(row: object): string {
  return JSON.stringify(row, (_, value) => {
    if (typeof value === 'bigint') return String(value)
    return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
  })
}
