// What makes a commit last, read from connections as they are opened.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openConnection } from '../../src/store/sqlite/file.ts'
import { installation } from '../support/lastcall.ts'

test('every connection to the database waits for the disk, and wipes what it deletes', (t) => {
  const connection = openConnection(installation(t).databasePath, {})
  const setting = (name: string) => Object.values(connection.get(`PRAGMA ${name}`) ?? {})[0]
  assert.equal(setting('synchronous'), 2)
  assert.equal(setting('journal_mode'), 'wal')
  assert.equal(setting('secure_delete'), 1)
  assert.equal(setting('foreign_keys'), 1)
  connection.close()
})
