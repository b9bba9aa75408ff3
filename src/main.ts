// The process. Nothing imports it. Node's compile cache is switched on before any of our modules is imported, which
// halves the time of a command.
import { lstatSync, mkdirSync } from 'node:fs'
import { enableCompileCache } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Files that it makes, from the database to backups, are only for the user who runs it.
process.umask(0o077)
// Node runs what it finds in the cache: in its usual folder any user of the machine could have put something there.
const cache = join(tmpdir(), `lastcall-${process.getuid?.()}`)
try {
  mkdirSync(cache, { recursive: true })
  const { uid, mode } = lstatSync(cache)
  if (uid === process.getuid?.() && (mode & 0o077) === 0) enableCompileCache(cache)
} catch {
  // No folder can be made there: it takes longer without.
}
const { main } = await import('./cli/main.ts')
await main(process.argv.slice(2))
