// The rate is counted by the clock of the process, which may be set; PostgreSQL counts by its own.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { send } from '../support/api.ts'
import { installation, owner } from '../support/lastcall.ts'

const leftMs = (at: number) => 60_000 - (at % 60_000)

test('the next minute begins anew; a clock that steps back by up to a minute refills nothing', async (t) => {
  const place = installation(t)
  const clock = join(place.folder, 'clock')
  const shift = (ms: number) => writeFileSync(clock, String(Math.round(ms)))
  shift(0)
  const me = await owner(place)
  const preload = `--import=${join(import.meta.dirname, '..', 'support', 'shifted-clock.ts')}`
  const server = await place.serve(['--rate-limit', '5'], {
    NODE_OPTIONS: preload,
    TEST_CLOCK_FILE: clock,
  })
  const spend = async () => {
    // not held as usual: no document says what the seconds left are while a clock runs behind
    const ask = () => send(server, 'GET', '/campaigns', { key: me.key })
    const answers = await Promise.all(Array.from({ length: 20 }, ask))
    return answers.filter(({ status }) => status === 200).length
  }
  // The server's clock: 20 seconds into a minute
  const start = leftMs(Date.now()) + 20_000
  shift(start)
  assert.equal(await spend(), 5)
  shift(start + 60_000)
  assert.equal(await spend(), 5)
  for (const back of [1000, 30_000, 60_000]) {
    shift(start + 60_000 - back)
    assert.equal(await spend(), 0, `${back} ms back`)
  }
  shift(start + 60_000)
  assert.equal(await spend(), 0)
  shift(start + 120_000)
  assert.equal(await spend(), 5)
})
