// What makes a commit last, read from connections as they are opened.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeDatabase, openDatabase, withoutFlush } from '../../src/store/sqlite/database.ts'
import { installation } from '../support/lastcall.ts'

test('every connection to the database waits for the disk, also after what need not, and wipes what it deletes', async (t) => {
  const database = openDatabase({ path: installation(t).databasePath, isServer: false })
  t.after(async () => closeDatabase(database))
  const setting = (name: string) => Object.values(database.connection.get(`PRAGMA ${name}`) ?? {})[0]
  assert.equal(setting('synchronous'), 2)
  assert.equal(setting('journal_mode'), 'wal')
  assert.equal(setting('secure_delete'), 1)
  assert.equal(setting('foreign_keys'), 1)
  for (const isDefect of [false, true]) {
    let meanwhile: unknown
    const writing = withoutFlush(database, async () => {
      meanwhile = setting('synchronous')
      if (isDefect) throw new Error('a defect')
    })
    await writing.catch(() => {})
    assert.deepEqual([meanwhile, setting('synchronous')], [1, 2], 'what is written next waits for the disk')
  }
})
