// Started by hand, with the umask of a usual shell: what Lastcall makes is for its own user alone.
import assert from 'node:assert/strict'
import { chmodSync, chownSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openConnection } from '../../src/store/sqlite/file.ts'
import { installation } from '../support/lastcall.ts'
import { eventually } from '../support/prepared.ts'

test('database, logs, locks, history and backups are 0600, whatever the umask of the caller', async () => {
  process.umask(0o022)
  const place = installation({ after })
  const server = await place.serve()
  const { id } = await place.json(['account', 'create', '--name', 'Owner'])
  const { key } = await place.json(['key', 'create', '--account', String(id), '--name', 'server'])
  const list = await fetch(`${server.base}/campaigns`, { headers: { authorization: `Bearer ${key}` } })
  assert.equal(list.status, 200)
  await place.json(['backup', join(place.folder, 'backup.db')])
  const names = () => readdirSync(place.folder).sort()
  assert.ok(await eventually(10_000, () => names().includes('lastcall-history.db-wal')))
  const made = ['lastcall.db', 'lastcall.db-shm', 'lastcall.db-wal', 'lastcall.db-serve.lock', 'lastcall-history.db']
  for (const name of ['backup.db', ...made]) assert.ok(names().includes(name), `${name} is not there`)
  const open = names().filter((name) => (statSync(join(place.folder, name)).mode & 0o777) !== 0o600)
  assert.deepEqual(open, [])
})

test('the lock that a command of root makes belongs to the one whose database it is', async (t) => {
  const place = installation(t)
  await place.json(['migrate'])
  rmSync(join(place.folder, 'lastcall.db-serve.lock'))
  const isRoot = process.geteuid?.() === 0
  if (isRoot) chownSync(place.databasePath, 4_321, 4_322)
  await place.json(['migrate'])
  const { uid, gid } = statSync(join(place.folder, 'lastcall.db-serve.lock'))
  assert.deepEqual(
    { uid, gid },
    isRoot ? { uid: 4_321, gid: 4_322 } : { uid: process.geteuid?.(), gid: process.getegid?.() },
  )
})

test('a server refuses a database that its user cannot write, or not open, and says what is wanting', async (t) => {
  const place = installation(t)
  await place.json(['migrate'])
  const serveAsUser = () => {
    if (process.geteuid?.() === 0) {
      chownSync(place.folder, 4_321, 4_322)
      chownSync(place.databasePath, 4_321, 4_322)
      process.seteuid?.(4_321)
    }
    try {
      openConnection(place.databasePath, { isServer: true }).close()
    } finally {
      process.seteuid?.(process.getuid?.() ?? 0)
    }
  }
  for (const mode of [0o400, 0]) {
    chmodSync(place.databasePath, mode)
    assert.throws(serveAsUser, /as a database: .*; this user must be able to read and write it and its folder/)
  }
})
