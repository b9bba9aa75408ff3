// Several test files in one process, one after the other: `test/run.ts` names them in TOGETHER. What they keep in
// `processScope`, servers and a browser, starts once for all of them.
import { join } from 'node:path'
import { test } from 'node:test'
import { holdProcessScope } from './process-scope.ts'

const root = join(import.meta.dirname, '..')
holdProcessScope()
// What `run.ts` does to files that never end: what they have started ends with them.
process.once('SIGTERM', () => process.exit(1))
for (const file of (process.env.TOGETHER ?? '').split(' ')) {
  test(file, async () => {
    await import(join(root, file))
  })
}
