// Preloaded into a server and what it starts: a process that empties the write-ahead log writes down when it begins
// and when it ends. Looking for it from outside would miss one that is quick.
import { appendFileSync } from 'node:fs'

const file = process.env.TEST_LOG_JOBS_FILE ?? ''
if (process.argv[1]?.endsWith('empty-log.ts')) {
  appendFileSync(file, 'begin\n')
  process.on('exit', () => appendFileSync(file, 'end\n'))
}
