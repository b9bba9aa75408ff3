// The process. Nothing imports it. Node's compile cache is switched on before the other modules are imported, which halves
// the time of a command.
import { enableCompileCache } from 'node:module'
import { cacheFolder } from './threads/start.ts'

// Files that it makes, from the database to backups, are only for the user who runs it.
process.umask(0o077)
const folder = cacheFolder()
if (folder !== undefined) enableCompileCache(folder)
const { main } = await import('./cli/main.ts')
await main(process.argv.slice(2))
