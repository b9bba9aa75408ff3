// The process. Nothing imports it. Node's compile cache is switched on before any of our modules is imported, which
// halves the time of a command.
import { enableCompileCache } from 'node:module'

// Files that it makes, from the database to backups, are only for the user who runs it.
process.umask(0o077)
enableCompileCache()
const { main } = await import('./cli/main.ts')
await main(process.argv.slice(2))
