// A mistyped DATABASE_URL: commands that need what is there say so, and leave no empty database behind.
import assert from 'node:assert/strict'
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { campaignFile, type Finished, installation, withoutTables } from '../support/lastcall.ts'
import { assertRefused, several, sharedCommand } from '../support/prepared.ts'

test('where there is no database', async (t) => {
  const place = installation(t, withoutTables)
  writeFileSync(join(place.folder, 'emails.csv'), 'email\na@example.com\n')
  writeFileSync(join(place.folder, 'campaign.json'), campaignFile())
  const before = readdirSync(place.folder)
  const id = '00000000-0000-4000-8000-000000000000'
  const lead = ['--campaign', '1', '--email', 'a@example.com']
  const calls = [
    ['account', 'list'],
    ['account', 'set', '1', '--suspended', 'true'],
    ['key', 'create', '--account', '1', '--name', 'k'],
    ['key', 'list', '--account', '1'],
    ['key', 'rename', id, '--name', 'k'],
    ['key', 'revoke', id],
    ['campaign', 'apply', '--account', '1', 'campaign.json'],
    ['campaign', 'list', '--account', '1'],
    ['campaign', 'export', '1'],
    ['campaign', 'delete', '1', '--yes'],
    ['lead', 'list', '--campaign', '1'],
    ['lead', 'show', ...lead],
    ['lead', 'deadline', ...lead, '--at', 'none'],
    ['lead', 'erase', ...lead],
    ['lead', 'import', '--campaign', '1', 'emails.csv'],
    ['history', 'list', '--account', '1'],
    ['backup', 'copy.db'],
  ]
  const results = await several(4, calls, (args) => place.runShared(args))
  for (const [n, args] of calls.entries())
    await t.test(`${args.slice(0, 2).join(' ')} refuses`, () =>
      assertRefused(results[n] as Finished, `DATABASE_URL: there is no database at ${place.databasePath};`, [2]),
    )
  await t.test('setup-link refuses a wrong PUBLIC_URL before it makes one', async () => {
    const env = { DATABASE_URL: place.databaseUrl, PUBLIC_URL: 'offers.example.com' }
    assertRefused(await sharedCommand(['setup-link'], { env }), 'PUBLIC_URL: must be', [2])
  })
  assert.deepEqual(readdirSync(place.folder), before, 'something was made')

  await t.test('if the folder cannot be looked at, no command says that there is no database', async () => {
    symlinkSync('loop', join(place.folder, 'loop'))
    const env = { DATABASE_URL: `file:${join(place.folder, 'loop', 'lastcall.db')}` }
    assertRefused(await sharedCommand(['account', 'list'], { env }), 'as a database: ELOOP', [1])
  })

  await t.test('account create makes one', async () => {
    assert.equal((await place.json(['account', 'create', '--name', 'First'])).id, 1)
    assert.equal((await place.json(['account', 'list'])).length, 1)
  })
})
