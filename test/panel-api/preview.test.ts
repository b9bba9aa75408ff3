// What the editor asks for while somebody types.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tester } from '../support/actor.ts'
import { campaignFile } from '../support/lastcall.ts'
import { panelSession, plainServer } from '../support/panel-session.ts'
import { roomInMinute, several } from '../support/prepared.ts'

const { place, server } = await plainServer()

async function asker() {
  const { id } = await place.arrange((store) => store.configuration.createAccount('Owner', tester))
  const ask = await panelSession(place, server, id)
  return (settings: object = {}) => ask('POST', '/preview', { settings, own: null, visitAfter: 'PT1H' })
}

test('a user gets 240 previews in a minute and is then told to wait, and no other user has to wait', async () => {
  const [busy, other] = [await asker(), await asker()]
  await roomInMinute()
  const answers = await several(8, Array(239).fill(0), () => busy())
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  const settings = JSON.parse(campaignFile())
  assert.equal((await busy(settings)).status, 200)
  const { status, body } = await busy(settings)
  const { code, retryAfterSeconds } = body
  assert.deepEqual([status, code], [429, 'TOO_MANY_TRIES'])
  assert.ok(retryAfterSeconds >= 1 && retryAfterSeconds <= 60, String(retryAfterSeconds))
  assert.equal((await other(settings)).status, 200)
})
