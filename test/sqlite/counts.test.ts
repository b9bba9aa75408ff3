// Nothing but numbers is kept of people who open links and images. Files can be searched on SQLite alone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, type Shop } from '../support/api.ts'
import { installation, owner } from '../support/lastcall.ts'
import { filesWith } from '../support/prepared.ts'
import { ask, open, recipient } from '../support/recipient.ts'

test('no address and no name of a program is written anywhere', async (t) => {
  const place = installation(t)
  const me = await owner(place)
  const shop = { place, owner: me, server: await place.serve(['--trust-proxy', '127.0.0.1']) } as Shop
  const { links, image, ref } = await recipient(shop)
  const headers = {
    'User-Agent': 'Mozilla/5.0 (A program of someone; rv:1.0) Gecko',
    'X-Forwarded-For': '203.0.113.77',
  }
  await open(shop, links[0] as string, { headers })
  await open(shop, image, { headers })
  await ask(shop, 'offer', { lc: ref, visit: true }, { headers })
  await eventually(
    5,
    () => place.json(['campaign', 'stats', String(me.campaignId)]),
    ({ totals }) => totals.visit.person === 1,
  )
  await shop.server.stop()
  for (const text of ['203.0.113', 'A program of someone']) assert.deepEqual(filesWith(place.folder, text), [])
  assert.ok(filesWith(place.folder, 'Autumn course').length > 0, 'the files are searched')
})
