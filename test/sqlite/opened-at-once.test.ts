// Any number of commands may start at once on a database that is not there yet: one makes it, all can use it.
import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { lockForServing } from '../../src/store/sqlite/file.ts'
import { databaseFolder } from '../support/database-folder.ts'
import { amount } from '../support/faults.ts'
import type { Opening } from '../support/opener.ts'

const processes = 4
const rounds = amount(8, 60)

test('processes that open a new database at one instant all get it', async (t) => {
  const folder = databaseFolder('test')
  const opener = join(import.meta.dirname, '..', 'support', 'opener.ts')
  const openers = Array.from({ length: processes }, () => startOpener(opener))
  t.after(() => {
    for (const { child } of openers) child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  for (let round = 0; round < rounds; round += 1) {
    const opening = { path: join(folder, `${round}.db`), at: Date.now() + 5 }
    const failures = await Promise.all(openers.map(({ open }) => open(opening)))
    assert.deepEqual(failures.filter(Boolean), [], `round ${round}`)
  }
})

test('if the lock file cannot be used, the line says so, and blames no other process; on a full disk it names the database', (t) => {
  const folder = databaseFolder('test')
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'lastcall.db')
  const giveUp = lockForServing(path)
  assert.throws(() => lockForServing(path), /a server, a migration or a copy is running on/)
  giveUp()
  const disk = t.mock.method(DatabaseSync.prototype, 'exec', () => {
    throw Object.assign(new Error('database or disk is full'), { errcode: 13 })
  })
  assert.throws(
    () => lockForServing(path),
    /^UnusableDatabase: cannot use .+lastcall\.db as a database: .+ disk is full$/,
  )
  disk.mock.restore()
  writeFileSync(`${path}-serve.lock`, 'what is not a database '.repeat(50))
  assert.throws(
    () => lockForServing(path),
    /^UnusableDatabase: cannot use .+lastcall\.db-serve\.lock .* not a database/,
  )
})

function startOpener(module: string) {
  const child = fork(module)
  const exited = once(child, 'exit').then(([code]) => `the process exited ${code}`)
  const answers: ((failure: string) => void)[] = []
  child.on('message', (failure: string) => answers.shift()?.(failure))
  const open = (opening: Opening) => {
    const answer = new Promise<string>((resolve) => answers.push(resolve))
    child.send(opening)
    return Promise.race([answer, exited])
  }
  return { child, open }
}
