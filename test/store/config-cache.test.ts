// What is asked for by many at once, after a start or a change, is read once; and never kept past a change.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openConfigCache } from '../../src/campaigns/config-cache.ts'
import type { LiveKey } from '../../src/store/model.ts'
import type { Store } from '../../src/store/store.ts'

/** A store whose reads end when they are let. */
function slowStore() {
  const reads: { id: string; end(key: LiveKey | undefined): void; fail(error: Error): void }[] = []
  let changed = () => {}
  const configuration = {
    findLiveKey: (id: string) =>
      new Promise<LiveKey | undefined>((end, fail) => {
        reads.push({ id, end, fail })
      }),
  }
  const store = {
    configuration,
    onChange(listener: () => void) {
      changed = listener
    },
  } as unknown as Store
  return { known: openConfigCache(store), reads, changed: () => changed() }
}
const key = (id: string) => ({ id }) as LiveKey

test('a thousand who ask at once share one read, and the next ones need none', async () => {
  const { known, reads } = slowStore()
  const asked = Array.from({ length: 1_000 }, () => known.liveKey('a'))
  known.liveKey('b')
  assert.deepEqual(
    reads.map(({ id }) => id),
    ['a', 'b'],
  )
  reads[0]?.end(key('a'))
  for (const answer of await Promise.all(asked)) assert.deepEqual(answer, key('a'))
  assert.deepEqual(await known.liveKey('a'), key('a'))
  assert.equal(reads.length, 2)
})

test('a question after a change gets what was read after it, and that is remembered', async () => {
  const { known, reads, changed } = slowStore()
  const before = known.liveKey('a')
  changed()
  const after = known.liveKey('a')
  assert.equal(reads.length, 2)
  reads[1]?.end(undefined)
  reads[0]?.end(key('a'))
  assert.deepEqual(await before, key('a'))
  assert.equal(await after, undefined)
  known.liveKey('a')
  assert.equal(reads.length, 3)
})

test('a read that fails fails those who share it, and no one after them', async () => {
  const { known, reads } = slowStore()
  const asked = [known.liveKey('a'), known.liveKey('a')].map((one) => Promise.resolve(one))
  reads[0]?.fail(new Error('the database does not answer'))
  for (const one of await Promise.allSettled(asked)) assert.equal(one.status, 'rejected')
  const again = known.liveKey('a')
  reads[1]?.end(key('a'))
  assert.deepEqual(await again, key('a'))
})

test('10,000 entries are kept, and no more', () => {
  const { known, reads } = slowStore()
  const ask = (id: number) => void known.liveKey(String(id))
  for (let id = 1; id <= 10_000; id += 1) ask(id)
  ask(1)
  assert.equal(reads.length, 10_000)
  ask(10_001)
  ask(1)
  assert.equal(reads.length, 10_002)
})
