import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Installation } from './lastcall.ts'

/** The clock of a server that is started with this `env`: the machine's, until it is set. Instants are in seconds. */
export function serverClock({ folder }: Pick<Installation, 'folder'>) {
  const file = join(folder, 'clock')
  /** It goes on from there. */
  const setTo = (instant: number) => writeFileSync(file, String(Math.round(instant * 1_000 - Date.now())))
  /** It stands still: what is asked one after the other is asked at one moment. */
  const standAt = (instant: number) => writeFileSync(file, `=${Math.floor(instant * 1_000)}`)
  setTo(Date.now() / 1_000)
  // As an address: Node splits its options at blanks.
  const preload = `--import=${import.meta.resolve('./shifted-clock.ts')}`
  return { env: { NODE_OPTIONS: preload, TEST_CLOCK_FILE: file }, setTo, standAt }
}
