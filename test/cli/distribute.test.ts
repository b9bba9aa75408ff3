// `distribute` where there is nothing to divide the tables among; on a Citus cluster it is tried in test/citus/.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { installation } from '../support/lastcall.ts'
import { engine } from '../support/test-database.ts'

test('distribute refuses without Citus and says what is missing, and wants a count of shards', async (t) => {
  const place = installation(t)
  await place.json(['account', 'create', '--name', 'Owner'])
  const { code, stdout, stderr } = await place.runShared(['distribute'])
  assert.deepEqual([code, stdout], [2, ''])
  assert.match(stderr, engine === 'postgres' ? /lacks Citus: CREATE EXTENSION citus/ : /DATABASE_URL names a file/)
  assert.equal(stderr.trim().split('\n').length, 1)
  for (const shards of ['0', '1.5', 'many', '100000']) {
    const refused = await place.runShared(['distribute', '--shards', shards])
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /--shards: must be an integer from 1 to 1024/)
  }
  assert.equal((await place.json(['account', 'list'])).length, 1)
})
