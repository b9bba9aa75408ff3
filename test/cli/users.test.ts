// Users of the panel on the command line.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { buildUsers } from '../../src/access/users.ts'
import { installation } from '../support/lastcall.ts'
import { assertRefused, root } from '../support/prepared.ts'
import { rowsIn } from '../support/rows.ts'
import { withFactor } from '../support/second-factor.ts'

test('users of the panel', async (t) => {
  const place = installation(t)
  const refused = async (args: string[], input: string, message: RegExp) => {
    const { code, stdout, stderr } = await place.runShared(args, input)
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, message)
  }
  const create = (email: string) => ['user', 'create', '--account', '1', '--email', email]

  await t.test('the set-up link begins an installation, and there is another until it is used', async () => {
    const links = [await place.json(['setup-link']), await place.json(['setup-link'])]
    for (const { url } of links) assert.match(url, /^http:\/\/localhost:8080\/setup#[\w-]{43}$/)
    assert.notEqual(links[0].url, links[1].url)
  })

  await t.test(
    'a user has an account, an email and a password from standard input; a set-up link says that it makes another account',
    async () => {
      assert.deepEqual(Object.keys(await place.json(['setup-link'])), ['url'])
      await place.json(['account', 'create', '--name', 'Owner'])
      const { note } = await place.json(['setup-link'])
      assert.match(note, /^the link makes another account; .*: user create --account ID$/)
      const user = await place.json(create('Ada@Example.com'), 'a long password\n')
      assert.deepEqual([user.accountId, user.email], [1, 'ada@example.com'])
      assert.match(user.createdAt, /^\d{4}-\d\d-\d\dT/)
      await refused(create('ada@EXAMPLE.com'), 'a long password\n', /^lastcall: --email: this email has a user/)
      await refused(['user', 'create', '--account', '9', '--email', 'b@x.pl'], 'x\n', /--account: there is no/)
      await refused(['setup-link'], '', /there is a user already/)
    },
  )

  await t.test('a password has 8 to 256 characters, and stands in no message', async () => {
    await refused(create('b@x.pl'), 'planted\r\n', /^lastcall: the password must have 8 to 256 characters/)
    // The mark that Windows' editors write is no character of it.
    await refused(create('b@x.pl'), '\ufeffplanted\r\n', /^lastcall: the password must have 8 to 256 characters/)
    const { stderr } = await place.runShared(create('b@x.pl'), `${'planted'.repeat(40)}\n`)
    assert.match(stderr, /8 to 256/)
    assert.doesNotMatch(stderr, /planted/)
    const latin1 = await place.run(create('b@x.pl'), Readable.from([Buffer.from('Jérôme planted\n', 'latin1')]))
    assertRefused(latin1, 'the password must be in UTF-8', [2])
    assert.doesNotMatch(latin1.stderr, /planted/)
    assert.equal((await place.runShared(create('b@x.pl'), '8 chars!')).code, 0)
    assert.equal((await place.runShared(create('c@x.pl'), `${'🦊'.repeat(256)}\n`)).code, 0)
  })

  await t.test('a terminal asks for the password twice, unseen; Ctrl-D is no password', async () => {
    const typed = async (keys: string) => {
      const terminal = `import { PassThrough } from 'node:stream'
        const value = Object.assign(new PassThrough(), { isTTY: true, setRawMode() {} })
        Object.defineProperty(process, 'stdin', { value })
        value.end('${keys}')`
      const preload = ['--import', `data:text/javascript,${encodeURIComponent(terminal)}`]
      const env = { ...process.env, DATABASE_URL: place.databaseUrl }
      const args = [...preload, join(root, 'src', 'main.ts'), 'user', 'reset', '--email', 'b@x.pl']
      const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] })
      const [said, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
      return `${code} ${said}`
    }
    const said = await Promise.all(
      ['\\x04', '8 chars!\\r8 chars\\r', '8 chars!\\r\\x04', '8 chars?\\r8 chars?\\r'].map(typed),
    )
    assert.match(said[0] ?? '', /^2 Password: \nlastcall: the password must have 8 to 256 characters[^\n]*\n$/)
    const differ = '2 Password: \nThe same again: \nlastcall: the two passwords differ: nothing was changed\n'
    assert.deepEqual(said.slice(1), [differ, differ, '0 Password: \nThe same again: \n'])
  })

  await t.test(
    'reset-factor takes the second factor away, once, and the operator stands in the audit log',
    async () => {
      const email = 'ada@example.com'
      await place.arrange(async (store) => {
        const found = await store.access.findCredentials(email)
        assert.ok(found)
        await withFactor(buildUsers(store), found.user, Math.floor(Date.now() / 1_000))
      })
      const reset = ['user', 'reset-factor', '--email', 'ADA@example.com']
      assert.deepEqual(await place.json(reset), { reset: true })
      assert.deepEqual(await place.json(reset), { reset: false })
      assert.equal((await place.arrange(({ access }) => access.findCredentials(email)))?.hasFactor, false)
      await refused(['user', 'reset-factor', '--email', 'no@x.pl'], '', /no panel user has this email/)
      const [entry] = (await rowsIn(place, 'audit_entries')).filter((row) => row.includes('user.factor_reset'))
      assert.match(entry ?? '', /"actor":"command"/)
    },
  )

  await t.test(
    'a user is an owner, or what --role says; another role can be given, but not to the last owner',
    async () => {
      const roleOf = async (email: string, ...role: string[]) =>
        (await place.json([...create(email), ...role], 'a long password')).role
      assert.equal(await roleOf('d@x.pl'), 'owner')
      assert.equal(await roleOf('e@x.pl', '--role', 'member'), 'member')
      assert.equal(await roleOf('f@x.pl', '--role', 'viewer'), 'viewer')
      await refused([...create('g@x.pl'), '--role', 'admin'], 'x\n', /--role: must be viewer, member or owner/)
      const set = (email: string, role: string) => ['user', 'set', '--email', email, '--role', role]
      const changed = await place.json(set('F@x.pl', 'member'))
      assert.deepEqual([changed.email, changed.role], ['f@x.pl', 'member'])
      for (const email of ['b@x.pl', 'c@x.pl', 'd@x.pl']) await place.json(set(email, 'viewer'))
      await refused(
        set('ada@example.com', 'member'),
        '',
        /^lastcall: --role: the last owner of an account must stay one: make/,
      )
      assert.equal((await place.json(set('ada@example.com', 'owner'))).role, 'owner')
      await refused(set('no@x.pl', 'member'), '', /--email: no panel user has this email/)
      await refused(['user', 'set', '--email', 'f@x.pl'], '', /--role is missing/)
    },
  )

  await t.test('reset sets a new password of a user who is there', async () => {
    assert.deepEqual(await place.json(['user', 'reset', '--email', 'ADA@example.com'], 'new password\n'), {
      reset: true,
    })
    // Before a password is asked for.
    await refused(['user', 'reset', '--email', 'no@x.pl'], '', /no panel user has this email/)
  })
})
