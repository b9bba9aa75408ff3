// Templates of countdown images have a million bytes each, and are written in the thread that answers everybody.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { openStore } from '../../src/store/open.ts'
import { removeOldest } from '../../src/store/templates.ts'
import { installation } from '../support/lastcall.ts'

test('storing the template of a countdown image reads none of those that are stored', async (t) => {
  const path = installation(t).databasePath
  await (
    await openStore({ engine: 'sqlite', path }, { lockWaitMs: 1_000, timeoutMs: 1_000, poolSize: 1, isServer: false })
  ).close()
  const database = new DatabaseSync(path)
  t.after(() => database.close())
  const steps = database.prepare(`EXPLAIN QUERY PLAN ${removeOldest}`).all()
  const looks = steps.map(({ detail }) => String(detail)).filter((step) => /timer_templates/.test(step))
  assert.equal(looks.length, 2)
  for (const step of looks) assert.match(step, /USING (?:COVERING )?INDEX timer_templates_by_age/)
})
