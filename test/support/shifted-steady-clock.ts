// Preloaded into a server of a test: its steady clock is ahead by the milliseconds that a file holds, read anew each time.
import { readFileSync } from 'node:fs'

const file = process.env.TEST_STEADY_CLOCK_FILE ?? ''
const real = performance.now.bind(performance)

performance.now = () => real() + Number(readFileSync(file, 'utf8'))
