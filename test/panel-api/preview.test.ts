// What the editor asks for while somebody types.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tester } from '../support/actor.ts'
import { campaignFile } from '../support/lastcall.ts'
import { panelSession, plainServer } from '../support/panel-session.ts'

const { place, server } = await plainServer()

async function asker() {
  const { id } = await place.arrange((store) => store.configuration.createAccount('Owner', tester))
  const ask = await panelSession(place, server, id)
  const body = { settings: JSON.parse(campaignFile()), own: null, visitAfter: 'PT1H' }
  return () => ask('POST', '/preview', body)
}

test('a user gets 240 previews in a minute and is then told to wait, and no other user has to wait', async () => {
  const [busy, other] = [await asker(), await asker()]
  let allowed = 0
  let answer = await busy()
  // The minute may end meanwhile.
  for (; answer.status === 200 && allowed < 480; answer = await busy()) allowed += 1
  assert.ok(allowed >= 240 && allowed < 480, String(allowed))
  const { code, retryAfterSeconds } = answer.body
  assert.deepEqual([answer.status, code], [429, 'TOO_MANY_TRIES'])
  assert.ok(retryAfterSeconds >= 1 && retryAfterSeconds <= 60, String(retryAfterSeconds))
  assert.equal((await other()).status, 200)
})
