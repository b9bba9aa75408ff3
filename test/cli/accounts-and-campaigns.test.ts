// Accounts, keys and campaigns on the command line, and what a running server makes of them.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { longTest } from '../support/faults.ts'
import { campaignFile, installation, owner } from '../support/lastcall.ts'
import { comesTrue, filesWith, sharedCommand } from '../support/prepared.ts'
import { shelveUsualTemplates } from '../support/usual-templates.ts'

test('accounts, keys and campaigns', { concurrency: 2, timeout: 400_000 }, async (t) => {
  const tests = [
    t.test('accounts', async (t) => {
      const { json } = installation(t)
      const fresh = { id: 1, name: 'Ąccount "one"', suspended: false, countdownTools: true, rateLimit: null }
      assert.deepEqual(await json(['account', 'create', '--name', 'Ąccount "one"']), fresh)
      const second = await json(['account', 'create', '--name', '🎉'.repeat(200)])
      assert.equal(second.id, 2)
      assert.deepEqual(await json(['account', 'list']), [fresh, second])
      const set = (...flags: string[]) => json(['account', 'set', '2', ...flags])
      assert.deepEqual(await set('--suspended', 'true'), { ...second, suspended: true })
      assert.deepEqual(await set('--rate-limit', '7', '--countdown-tools', 'false', '--suspended', 'false'), {
        ...second,
        rateLimit: 7,
        countdownTools: false,
      })
      const last = { ...second, countdownTools: false }
      assert.deepEqual(await set('--rate-limit', 'default'), last)
      assert.deepEqual(await json(['account', 'list']), [fresh, last])
    }),

    t.test('a name gives the terminal of the operator no orders', async (t) => {
      const { json, runShared } = installation(t)
      const name = 'A\u009d52;c;bHM=\u009c\u007f'
      await json(['account', 'create', '--name', name])
      for (const command of [
        ['account', 'list'],
        ['audit', 'list', '--account', '1'],
      ]) {
        const { stdout } = await runShared(command)
        assert.doesNotMatch(stdout, /[\u007f-\u009f]/, command.join(' '))
        assert.ok(JSON.stringify(JSON.parse(stdout)).includes(name))
      }
    }),

    t.test('keys: the secret is shown once and kept nowhere', async (t) => {
      const { json, runShared: run, folder } = installation(t)
      const { id: account } = await json(['account', 'create', '--name', 'A'])
      const made = await json(['key', 'create', '--account', String(account), '--name', 'shop'])
      assert.deepEqual(Object.keys(made).sort(), ['id', 'key', 'name'])
      assert.match(made.key, new RegExp(`^lastcall_${made.id}\\.[A-Za-z0-9_-]{43}$`))
      const secret = made.key.split('.')[1]
      const later = [
        await run(['key', 'list', '--account', String(account)]),
        await run(['key', 'rename', made.id, '--name', 'store']),
        await run(['key', 'revoke', made.id]),
        await run(['key', 'list', '--account', String(account)]),
      ]
      for (const { code, stdout, stderr } of later) {
        assert.equal(code, 0, stderr)
        assert.ok(!(stdout + stderr).includes(secret), 'the secret is shown again')
        assert.ok(stdout.includes(made.id.slice(0, 8)))
      }
      const [listed] = JSON.parse(later[0]?.stdout ?? '')
      assert.equal(listed.name, 'shop')
      assert.equal(JSON.parse(later[3]?.stdout ?? '')[0].name, 'store')
      assert.deepEqual(filesWith(folder, secret), [])
      assert.deepEqual(filesWith(folder, Buffer.from(secret, 'base64url').toString('latin1')), [])
      const bytes = Buffer.from(secret, 'base64url')
      assert.deepEqual(filesWith(folder, bytes.toString('hex')), [])
    }),

    t.test('campaigns: made, listed, exported, changed, removed', async (t) => {
      const place = installation(t)
      const { json, runShared: run, folder, databaseUrl } = place
      await json(['account', 'create', '--name', 'A'])
      await place.arrange(shelveUsualTemplates)
      const apply = (file: string) => json(['campaign', 'apply', '--account', '1', '-'], file)
      const rule = { startsOn: 'registration', deadline: { kind: 'after', period: 'PT48H' } }

      const least = await apply(JSON.stringify({ name: 'Least', timeZone: 'UTC', mechanism: rule }))
      const { id, mechanism, ...rest } = least
      assert.equal(id, 1)
      assert.deepEqual(mechanism.deadline, rule.deadline)
      assert.deepEqual(rest, {
        name: 'Least',
        isDraft: true,
        timeZone: 'UTC',
        language: 'en',
        anonymous: { enabled: false },
        conversion: { closes: false },
        onExpiry: { action: 'HIDE' },
        pages: [],
        mailTimer: null,
      })

      const full = await apply(
        campaignFile({
          anonymous: { enabled: true },
          conversion: { closes: true },
          onExpiry: { action: 'REDIRECT', redirectUrl: 'https://example.com/closed' },
          pages: [
            { pageUrl: 'https://example.com/one', proxyUrl: 'https://example.com/proxy', eligible: true },
            { pageUrl: 'http://example.com/two', eligible: false },
          ],
        }),
      )
      assert.equal(full.id, 2)
      assert.equal(full.pages.length, 2)
      for (const { id } of full.pages) assert.ok(Number.isInteger(id) && id >= 1)
      assert.deepEqual(await json(['campaign', 'export', '2']), full)

      const listed = await json(['campaign', 'list', '--account', '1'])
      assert.deepEqual(
        listed.map(({ id, name, isDraft }: any) => [id, name, isDraft]),
        [
          [1, 'Least', true],
          [2, 'Autumn course', false],
        ],
      )

      // An export goes in again and changes nothing; the ids of the pages stay.
      assert.deepEqual(await apply(JSON.stringify(full)), full)
      const kept = full.pages[1]
      const changed = await apply(
        JSON.stringify({
          id: 2,
          name: 'Changed',
          timeZone: 'UTC',
          mechanism: rule,
          pages: [kept, { pageUrl: 'https://example.com/three' }],
        }),
      )
      assert.deepEqual(changed.pages[0], kept)
      assert.equal(changed.pages[1].pageUrl, 'https://example.com/three')
      assert.ok(![full.pages[0].id, kept.id].includes(changed.pages[1].id), 'the id of a removed page is used again')
      assert.deepEqual([changed.isDraft, changed.mailTimer, changed.onExpiry], [true, null, { action: 'HIDE' }])
      assert.deepEqual(await json(['campaign', 'export', '2']), changed)

      // FILE is taken from where the caller stands.
      const elsewhere = join(folder, 'elsewhere')
      mkdirSync(elsewhere)
      writeFileSync(join(elsewhere, 'campaign.json'), JSON.stringify({ ...changed, name: 'From a file' }))
      const env = { DATABASE_URL: databaseUrl, INIT_CWD: elsewhere }
      const fromFile = await sharedCommand(['campaign', 'apply', '--account', '1', 'campaign.json'], { env })
      assert.equal(fromFile.code, 0, fromFile.stderr)
      assert.equal(JSON.parse(fromFile.stdout).name, 'From a file')

      await json(['campaign', 'delete', '2', '--yes'])
      assert.equal((await run(['campaign', 'export', '2'])).code, 2)
      assert.equal((await json(['campaign', 'list', '--account', '1'])).length, 1)
      assert.equal((await apply(campaignFile())).id, 3, 'the id of a removed campaign is used again')
    }),

    t.test('one account sees nothing of another', async (t) => {
      const place = installation(t)
      const one = await owner(place)
      const two = await owner(place)
      const listed = await place.json(['campaign', 'list', '--account', String(one.accountId)])
      assert.deepEqual(
        listed.map(({ id }: any) => id),
        [one.campaignId],
      )
      const keys = await place.runShared(['key', 'list', '--account', String(one.accountId)])
      assert.ok(!keys.stdout.includes(two.keyId))
    }),
  ]
  await Promise.all(tests)
})

// In the short form test/api/change-holds.test.ts and rate-limit.test.ts hold it.
longTest('a running server uses changes of the command line within a second', async (t) => {
  const place = installation(t)
  const { accountId, key, keyId, campaignId } = await owner(place)
  const server = await place.serve(['--rate-limit', '1000000'])
  const list = async (bearer = key) => {
    const answer = await fetch(`${server.base}/campaigns`, {
      headers: { authorization: `Bearer ${bearer}` },
    })
    return { status: answer.status, body: (await answer.json()) as any, headers: answer.headers }
  }
  const soon = async (what: string, ask: () => Promise<boolean>) =>
    assert.ok(await comesTrue(1_000, ask), `${what} does not hold after a second`)
  const id = String(accountId)
  assert.equal((await list()).status, 200)
  await place.json(['account', 'set', id, '--suspended', 'true'])
  await soon('suspending', async () => (await list()).body.code === 'ACCOUNT_SUSPENDED')
  await place.json(['account', 'set', id, '--suspended', 'false', '--rate-limit', '5000'])
  await soon('the rate', async () => (await list()).headers.get('ratelimit-limit') === '5000')
  const other = await place.json(['key', 'create', '--account', id, '--name', 'other'])
  await soon('a new key', async () => (await list(other.key)).status === 200)
  await place.json(['key', 'revoke', keyId])
  await soon('revoking', async () => (await list()).status === 401)
  await place.json(['campaign', 'apply', '--account', id, '-'], campaignFile({ id: campaignId, name: 'Renamed' }))
  await soon('an edit', async () => (await list(other.key)).body.items[0].name === 'Renamed')
  await place.json(['campaign', 'delete', String(campaignId), '--yes'])
  await soon('a removal', async () => (await list(other.key)).body.items.length === 0)
})
