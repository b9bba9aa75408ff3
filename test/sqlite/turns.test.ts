// A server beside a command that writes much: it looks for the lock every ten milliseconds, and waits inside no statement.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { installation, owner } from '../support/lastcall.ts'

const count = 300

test('while orders are imported a program that looks for the lock every ten milliseconds gets it within a few looks', async (t) => {
  const place = installation(t)
  const { campaignId } = await owner(place)
  const emails = Array.from({ length: count }, (_, n) => `buyer-${n}@example.com`)
  writeFileSync(join(place.folder, 'leads.csv'), `email\n${emails.join('\n')}\n`)
  writeFileSync(
    join(place.folder, 'orders.csv'),
    `orderId,email\n${emails.map((email, n) => `order-${n},${email}\n`).join('')}`,
  )
  const into = ['import', '--campaign', String(campaignId)]
  await place.json(['lead', ...into, 'leads.csv'])
  const database = new DatabaseSync(place.databasePath)
  t.after(() => database.close())
  let isOver = false
  const imported = place.run(['conversion', ...into, 'orders.csv']).finally(() => {
    isOver = true
  })
  let [inVain, most] = [0, 0]
  while (!isOver) {
    await sleep(10)
    try {
      database.exec('BEGIN IMMEDIATE; ROLLBACK')
      inVain = 0
    } catch {
      inVain += 1
      most = Math.max(most, inVain)
    }
  }
  assert.equal(JSON.parse((await imported).stdout).created, count)
  assert.ok(most > 0 && most < 25, `${most} looks in vain`)
})
