// What Lastcall makes is for its own user alone; the modes of its files are looked at in backup.test.ts.
import assert from 'node:assert/strict'
import { chmodSync, chownSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { lockForServing, openConnection } from '../../src/store/sqlite/file.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { installation, withoutTables } from '../support/lastcall.ts'

test('the lock that a command of root makes belongs to the one whose database it is', async (t) => {
  const place = installation(t)
  await place.json(['migrate'])
  rmSync(join(place.folder, 'lastcall.db-serve.lock'))
  const isRoot = process.geteuid?.() === 0
  if (isRoot) chownSync(place.databasePath, 4_321, 4_322)
  await place.json(['migrate'])
  const lock = join(place.folder, 'lastcall.db-serve.lock')
  const { uid, gid } = statSync(lock)
  assert.deepEqual(
    { uid, gid },
    isRoot ? { uid: 4_321, gid: 4_322 } : { uid: process.geteuid?.(), gid: process.getegid?.() },
  )
  // A link in its place gives away nothing of what it leads to.
  const other = join(place.folder, 'other')
  writeFileSync(other, 'not a database')
  rmSync(lock)
  symlinkSync(other, lock)
  assert.equal((await place.run(['migrate'])).code, 1)
  assert.equal(statSync(other).uid, process.geteuid?.())
})

/** Runs `work` as a user who is not root, and who owns `paths`. */
function asUser(paths: string[], work: () => unknown): void {
  if (process.geteuid?.() === 0) {
    for (const path of paths) chownSync(path, 4_321, 4_322)
    process.seteuid?.(4_321)
  }
  try {
    work()
  } finally {
    process.seteuid?.(process.getuid?.() ?? 0)
  }
}

test('a server refuses a database that its user cannot write, or not open, and says what is wanting', async (t) => {
  const place = installation(t, withoutTables)
  await place.json(['migrate'])
  // As a backup is: without a write-ahead log.
  const database = new DatabaseSync(place.databasePath)
  database.exec('PRAGMA journal_mode = DELETE')
  database.close()
  const serve = () => openConnection(place.databasePath, { isServer: true }).connection.close()
  const assertRefused = () => {
    for (const mode of [0o400, 0]) {
      chmodSync(place.databasePath, mode)
      assert.throws(
        () => asUser([place.folder, place.databasePath], serve),
        /as a database: .*; this user must be able to read and write it, the -wal and -shm files beside it, and its folder/,
      )
    }
  }
  assertRefused()
  // Once a server has run on it there is a write-ahead log, which SQLite makes beside a file that it may only read.
  chmodSync(place.databasePath, 0o600)
  serve()
  assertRefused()
})

test('if the folder may not be used, the line names the database, and not the lock beside it', (t) => {
  const { folder, databasePath: path } = installation(t)
  const refusal = /cannot use .+lastcall\.db as a database: .*; this user must be able to read and write it/
  chmodSync(folder, 0o500)
  assert.throws(() => asUser([folder], () => lockForServing(path)), refusal)
  chmodSync(folder, 0)
  assert.throws(() => asUser([folder], () => openSqlite({ path, isServer: false, lockWaitMs: 0 })), refusal)
  chmodSync(folder, 0o700)
})
