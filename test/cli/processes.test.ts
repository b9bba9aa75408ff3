// Every command as the process that an operator starts. The other files run most of them in a process that they share.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { settingNames } from '../../src/config.ts'
import { isFull } from '../support/faults.ts'
import { campaignFile, installation } from '../support/lastcall.ts'
import { assertRefused, prepared, root } from '../support/prepared.ts'
import { engine } from '../support/test-database.ts'

/** These have tests of their own, which start them as processes. */
const elsewhere = ['serve', 'demo', 'copy', 'distribute', ...(engine === 'postgres' ? ['backup'] : [])]

test('one JSON document on standard output, nothing else, and exit 0, whatever the command', async (t) => {
  const { place, accountId, campaignId, keyId } = await prepared(t)
  const account = ['--account', String(accountId)]
  const campaign = ['--campaign', String(campaignId)]
  const email = ['--email', 'ada@example.com']
  const rules = { campaign: { timeZone: 'UTC', mechanism: JSON.parse(campaignFile()).mechanism }, events: [] }
  const password = 'long enough for a test\n'
  const calls: Record<string, [args: string[], input?: string]> = {
    'account create': [['--name', 'Other']],
    'account list': [[]],
    'account set': [[String(accountId), '--rate-limit', '5']],
    'setup-link': [[]],
    'user create': [[...account, ...email], password],
    'user set': [[...email, '--role', 'owner']],
    'user reset': [email, password],
    'user reset-factor': [email],
    'key create': [[...account, '--name', 'second']],
    'key list': [account],
    'key rename': [[keyId, '--name', 'first']],
    'key revoke': [[keyId]],
    'campaign apply': [[...account, '-'], campaignFile()],
    'campaign list': [account],
    'campaign export': [[String(campaignId)]],
    'lead import': [[...campaign, '-'], 'email\nada@example.com\n'],
    'lead export': [[...campaign, 'leads.csv']],
    'lead list': [campaign],
    'lead show': [[...campaign, ...email]],
    'lead find': [[...account, ...email]],
    'lead stats': [[...campaign, ...email]],
    'lead deadline': [[...campaign, ...email, '--at', '2099-01-01T00:00:00Z']],
    'lead convert': [[...campaign, ...email, '--order', '1001', '--amount', '49.00', '--currency', 'EUR']],
    'conversion list': [campaign],
    'conversion import': [[...campaign, '-'], 'email,orderId\nada@example.com,1002\n'],
    'conversion reverse': [[...campaign, '--order', '1002']],
    'campaign report': [[String(campaignId)]],
    'campaign stats': [[String(campaignId)]],
    'lead erase': [[...account, ...email]],
    'history list': [account],
    'audit list': [account],
    'webhook create': [[...account, '--name', 'x', '--url', 'https://hooks.invalid/x', '--kinds', 'lead.registered']],
    'webhook list': [account],
    'webhook set': [['1', ...account, '--name', 'y']],
    'webhook secret': [['1', ...account]],
    'webhook test': [['1', ...account]],
    'webhook log': [['1', ...account]],
    'webhook resend': [['1', ...account, '--since', '2026-01-01T00:00:00Z']],
    'webhook backfill': [['1', ...account, ...campaign]],
    'webhook discard': [['1', ...account, '--before', '2026-01-01T00:00:00Z']],
    'webhook delete': [['1', ...account, '--yes']],
    'campaign delete': [[String(campaignId), '--yes']],
    simulate: [[], JSON.stringify(rules)],
    openapi: [[]],
    ...(engine === 'sqlite' && { backup: [['copy.db']] }),
    migrate: [[]],
    '--help': [[]],
    '--version': [[]],
  }
  const unknown = await place.run(['nothing'])
  assertRefused(unknown, 'unknown command nothing', [2])
  const names = /use one of: (.*)/.exec(unknown.stderr)?.[1]?.split(', ') ?? []
  assert.deepEqual([...Object.keys(calls), ...elsewhere].sort(), names.sort())
  for (const [index, [name, [args, input]]] of Object.entries(calls).entries()) {
    // In the short form every twelfth has a process of its own.
    const run = isFull || index % 12 === 0 ? place.run : place.runShared
    const { code, stdout, stderr } = await run([...name.split(' '), ...args], input)
    const said = ['setup-link', 'lead export', 'openapi'].includes(name)
      ? `lastcall: links begin with http://localhost:8080, since PUBLIC_URL is not set\n`
      : ''
    assert.deepEqual([code, stderr], [0, said], name)
    assert.match(stdout, /^[^\n].*\n$/s, name)
    JSON.parse(stdout)
  }
})

test('an answer that nobody takes fails the command, in one line', async () => {
  const child = spawn(process.execPath, [join(root, 'src', 'main.ts'), '--help'], { stdio: ['ignore', 'pipe', 'pipe'] })
  child.stdout.destroy()
  const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
  assert.deepEqual(
    [code, said],
    [1, 'lastcall: standard output cannot be written (EPIPE); what the command has changed stays changed\n'],
  )
})

test('an answer of which only the beginning could be written, as on a disk that has filled up, fails the command', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-full-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  // A file may have 4 kB there, which is less than the description.
  const command = `ulimit -f 8; exec "$0" "$1" openapi >${join(folder, 'openapi.json')}`
  const { status, stderr } = spawnSync('sh', ['-c', command, process.execPath, join(root, 'src', 'main.ts')], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, NODE_DISABLE_COMPILE_CACHE: '1' },
  })
  assert.deepEqual([status, /cannot be written \(\w+\)/.test(stderr)], [1, true], stderr)
})

test('--help behind the words of a command shows what docs/operating.md says of it', async (t) => {
  const place = installation(t)
  const usage = 'user set --email EMAIL --role ROLE'
  const shown = await place.json(['user', 'set', '--role', 'owner', '--help'])
  assert.deepEqual(Object.keys(shown), [usage])
  assert.match(shown[usage], /^gives a user another role/)
  const ofUsers = Object.keys(await place.json(['user', '-h']))
  assert.ok(ofUsers.includes(usage) && ofUsers.every((one) => one.startsWith('user ')))
  assert.ok(Object.keys(await place.json(['--help'])).length > 40)
  assert.deepEqual(await place.json(['help']), await place.json(['--help']))
  assert.deepEqual(await place.json(['help', 'user', 'set']), shown)
  const { serve } = await place.json(['serve', '--help'])
  for (const { flag } of Object.values(settingNames)) assert.match(serve, new RegExp(`--${flag}\\b`))
  assertRefused(await place.runShared(['nothing', '--help']), '--help: must stand alone or with a command', [2])
})

test('code that is kept compiled comes from a folder that only its own user can write', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-tmp-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const cache = join(folder, `lastcall-${process.getuid?.()}`)
  const lastcall = (args: string[], env: Record<string, string> = {}) => {
    const program = [join(root, 'src', 'main.ts'), ...args]
    const options = { env: { TMPDIR: folder, ...env }, encoding: 'utf8' as const }
    const { status, stdout, stderr } = spawnSync(process.execPath, program, options)
    assert.equal(status, 0, stderr)
    return stdout + stderr
  }
  const version = () => lastcall(['--version'])
  version()
  assert.equal(statSync(cache).mode & 0o777, 0o700)
  assert.ok(readdirSync(cache).length > 0)
  // Its threads too: reading the history starts one.
  const database = { DATABASE_URL: `file:${join(folder, 'a.db')}` }
  lastcall(['account', 'create', '--name', 'a'], database)
  const said = [1, 2].map(() =>
    lastcall(['history', 'list', '--account', '1'], { ...database, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }),
  )
  assert.match(said[1] as string, /cache for ESM file:.*history-sqlite\.ts was accepted/)
  for (const name of readdirSync(folder)) if (name !== basename(cache)) rmSync(join(folder, name))
  // As somebody else might have made it before.
  rmSync(cache, { recursive: true })
  mkdirSync(cache)
  chmodSync(cache, 0o777)
  version()
  assert.deepEqual(readdirSync(folder, { recursive: true }), [basename(cache)])
  const others = join(folder, 'others')
  rmSync(cache, { recursive: true })
  mkdirSync(others)
  symlinkSync(others, cache)
  version()
  assert.deepEqual(readdirSync(others), [])
})
