// A process beside each cluster. Ends the cluster and removes its folder as soon as the process that started it closes
// this one's standard input, or is gone, however it went: killed, crashed or done.
import { realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { areGone, killFamily, signal, thawFamily } from './processes.ts'

const folder = process.argv[2] as string

/** Of the cluster's first process; 0 while none runs. Told, since a file may name one that is long dead. */
let postmaster = 0
for await (const line of createInterface({ input: process.stdin })) postmaster = Number(line)

if (postmaster > 0) {
  thawFamily(postmaster)
  // an immediate stop, which gives back the shared memory that outlives a kill
  signal(postmaster, 'SIGQUIT')
  if (!(await areGone([postmaster], 6_000))) await killFamily(postmaster)
}
try {
  rmSync(realpathSync(join(folder, 'data')), { recursive: true, force: true, maxRetries: 10 })
} catch {
  // It came to nothing before there was any data.
}
rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
