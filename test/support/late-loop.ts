// Preloaded into a server of a test: while a file exists, each turn of its event loop takes longer than a second.
import { existsSync } from 'node:fs'

const file = process.env.TEST_LATE_LOOP_FILE ?? ''
const turnMs = 1_300
const endless = new Int32Array(new SharedArrayBuffer(4))

setInterval(() => {
  if (existsSync(file)) Atomics.wait(endless, 0, 0, turnMs)
}, 10).unref()
