// Preloaded into a server of a test: its clock differs by the milliseconds that a file holds, read again each time; after
// `=` they are the time itself, which then stands still.
import { readFileSync } from 'node:fs'

const file = process.env.TEST_CLOCK_FILE ?? ''
const RealDate = Date
function now(): number {
  const text = readFileSync(file, 'utf8')
  return text.startsWith('=') ? Number(text.slice(1)) : RealDate.now() + Number(text)
}

globalThis.Date = class extends RealDate {
  constructor(...parts: []) {
    if (parts.length === 0) super(now())
    else super(...parts)
  }

  static override now(): number {
    return now()
  }
} as DateConstructor

Temporal.Now.instant = () => Temporal.Instant.fromEpochMilliseconds(now())
