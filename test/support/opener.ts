// Opens and closes the embedded database of each message at the instant that it names.
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'

export type Opening = { path: string; at: number }

process.on('message', async ({ path, at }: Opening) => {
  while (Date.now() < at);
  try {
    await openSqlite({ path, lockWaitMs: 1_000, isServer: true }).close()
    process.send?.('')
  } catch (error) {
    process.send?.(String(error))
  }
})
