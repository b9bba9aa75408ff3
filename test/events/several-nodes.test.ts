// Endpoints that several nodes share. On PostgreSQL alone: one process serves a file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDispatcher } from '../../src/events/dispatcher.ts'
import { opened, registered } from '../support/lane.ts'

test('one of several nodes tells an endpoint, and when it stops another goes on', async (t) => {
  const { endpoint, register, sent, answer, parts, clock } = await opened(t)
  await endpoint({ ...registered, inFlight: 2 })
  answer.milliseconds = 20
  clock.at = Math.floor(Date.now() / 1_000)
  const nodes = [1, 2].map(() => openDispatcher(parts))
  t.after(() => Promise.all(nodes.map((node) => node.close())))
  let count = 0
  const told = async (more: number) => {
    for (let n = 0; n < more; n += 1) {
      await register(`${count + n}@example.com`)
      await sleep(20)
    }
    count += more
    for (let waited = 0; sent.length < count && waited < 300; waited += 1) await sleep(50)
    await sleep(700)
    assert.equal(sent.length, count)
    assert.equal(new Set(sent.map(({ id }) => id)).size, count)
  }
  await told(60)
  // It asked first.
  await nodes[0]?.close()
  await told(5)
  await endpoint({ ...registered, url: 'https://new.example/' })
  await sleep(1_500)
  await register('last@example.com')
  await sleep(1_500)
  assert.equal(sent.filter(({ url }) => url === 'https://new.example/').length, 1, 'a new one is taken at once')
})

test('a node whose endpoint another node has taken stops telling it, however much waits', async (t) => {
  const { endpoint, register, sent, answer, parts, store, clock } = await opened(t)
  await endpoint({ ...registered, inFlight: 1 })
  answer.milliseconds = 100
  clock.at = Math.floor(Date.now() / 1_000)
  for (let n = 0; n < 60; n += 1) await register(`${n}@example.com`)
  let holder = ''
  const lease = (name: string, accountId?: number) => {
    holder = name
    return store.events.lease(name, accountId)
  }
  const node = openDispatcher({ ...parts, store: { ...store, events: { ...store.events, lease } } })
  t.after(() => node.close())
  for (let waited = 0; sent.length < 1 && waited < 100; waited += 1) await sleep(50)
  // As after it has hung for longer than its lease.
  await store.events.release(holder)
  await store.events.lease('another')
  await sleep(1_000)
  const { length } = sent
  await sleep(1_000)
  assert.equal(sent.length, length)
  assert.ok(length > 0 && length < 60, String(length))
})
