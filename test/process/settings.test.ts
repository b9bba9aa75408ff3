// A wrong or half-set value stops the start with one line that names it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { createServer as createSecureServer } from 'node:tls'
import { openPool } from '../../src/store/postgres/connection.ts'
import { amount, isFull, someOf } from '../support/faults.ts'
import { installation, withoutTables } from '../support/lastcall.ts'
import { assertRefused, command, prepared, several, sharedCommand } from '../support/prepared.ts'
import { selfSigned } from '../support/self-signed.ts'

const wrong: Record<string, { flag: string; values: string[] }> = {
  DATABASE_URL: {
    flag: '--database-url',
    values: [
      'lastcall.db',
      'file:./data/lastcall.db\r',
      'file:./data/lastcall.db ',
      '/tmp/lastcall.db',
      'file:',
      'file:///',
      'mysql://localhost/db',
      'postgres://shop@localhost/d%ff',
      'postgres://shop@localhost/db?port=abc',
      'sqlite:./a.db',
    ],
  },
  HOST: { flag: '--host', values: ['not a host', 'http://localhost', '127.0.0.1/8'] },
  PORT: { flag: '--port', values: ['http', '-1', '65536', '80.5', '0x50', '1e3', '+80', ' 80', '８０'] },
  PUBLIC_URL: {
    flag: '--public-url',
    values: [
      'example.com',
      'https://x.example/100%',
      '/offers',
      'ftp://example.com',
      'https://',
      'https://a b',
      'https://x.example/?a=1',
      'https://x.example/#a',
      'https://x.example/a|b',
    ],
  },
  RATE_LIMIT_PER_MINUTE: {
    flag: '--rate-limit',
    values: ['many', '-1', '0', '1.5', '1e3', 'Infinity', '120/min'],
  },
  HISTORY_DAYS: { flag: '--history-days', values: ['week', '-1', '1.5', '7d'] },
  AUDIT_DAYS: { flag: '--audit-days', values: ['year', '0', '-1', '3661'] },
  TRUST_PROXY: {
    flag: '--trust-proxy',
    values: [
      '0.0.0.0/0',
      'true',
      'proxy.example.com',
      '10.0.0',
      '10.0.0.0/33',
      '::1/129',
      '10.0.0.1,,10.0.0.2',
      '10.0.0.0/8,',
      '10.0.0.0/',
    ],
  },
  EGRESS_ALLOW: {
    flag: '--egress-allow',
    values: ['0x7f.0.0.1', '::ffff:10.0.0.1', 'n8n:5678', 'http://n8n', '*', 'n8n,', '127.1', '[::1]', 'fe80::1%eth0'],
  },
}

test('settings', { concurrency: 4, timeout: 400_000 }, async (t) => {
  const place = installation(t, withoutTables)
  const env = { DATABASE_URL: place.databaseUrl, PORT: '0', INIT_CWD: place.folder }

  const cases = Object.entries(wrong).flatMap(([variable, { flag, values }]) =>
    values.slice(0, amount(2, values.length)).map((value, n) =>
      // Both ways to the same reader: the first value through the flag, the others through the variable.
      n === 0
        ? { name: `${flag} ${value}`, args: [flag, value], env, named: flag }
        : { name: `${variable}=${value}`, args: [], env: { ...env, [variable]: value }, named: variable },
    ),
  )
  await t.test('every wrong value', async (t) => {
    const results = await several(2, cases, ({ args, env }) => sharedCommand(['serve', ...args], { env }))
    for (const [n, { name, named }] of cases.entries())
      await t.test(name, () => assertRefused(results[n] as (typeof results)[0], named, [2]))
    assert.ok(!existsSync(place.databasePath), 'a refused start made a database')
  })

  await t.test('wrong calls of serve', async (t) => {
    const calls: [string[], string | RegExp][] = [
      [['--port'], '--port'],
      [['--prot', '80'], '--prot'],
      [['--port', '0', '--port', '0'], '--port'],
      [['extra'], /argument.*only options/],
      [['--workers', '2'], '--workers'],
      [['--rate-limit='], '--rate-limit'],
      [['-p', '80'], '-p'],
    ]
    const results = await several(2, calls, ([args]) => sharedCommand(['serve', ...args], { env }))
    for (const [n, [args, named]] of calls.entries())
      await t.test(args.join(' '), () => assertRefused(results[n] as (typeof results)[0], named, [2]))
  })

  await t.test('no command, and none that exists', async () => {
    for (const args of [[], ['sreve'], ['account'], ['account', 'destroy'], ['constructor'], ['--port', '1']])
      assertRefused(await sharedCommand(args, { env }), /(no|unknown) command|usage/i, [2])
  })

  await t.test('a setting that is wrong stops the other commands too', async () => {
    const made = await sharedCommand(['account', 'list'], { env: { ...env, DATABASE_URL: 'lastcall.db' } })
    assertRefused(made, 'DATABASE_URL', [2])
  })

  const origin = await prepared(t)

  await t.test('a flag wins over its variable, and the variables hold without flags', async (t) => {
    const addresses = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]
    const preload = `import dns from 'node:dns'
      import { syncBuiltinESMExports } from 'node:module'
      const { lookup } = dns
      dns.lookup = (name, options, tell) =>
        name.toLowerCase() === 'localhost' ? tell(null, ${JSON.stringify(addresses)}) : lookup(name, options, tell)
      syncBuiltinESMExports()`
    const server = await origin.copy(t).serve(['--rate-limit', '7'], {
      RATE_LIMIT_PER_MINUTE: '5',
      PUBLIC_URL: 'https://variable.example:8443',
      HISTORY_DAYS: '30',
      TRUST_PROXY: '127.0.0.1, 10.0.0.0/8,::1,fd00::/8',
      EGRESS_ALLOW: 'n8n, my_host.local,xn--bcher-kva.example,10.0.0.0/8,127.0.0.1,::1,fd00::/8',
      HOST: 'localhost',
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`,
    })
    const at = (host: string) => `http://${host}:${server.port}`
    const { body, limit } = await registered(`${at('127.0.0.1')}/api/public/v1`, origin)
    assert.equal(limit, '7')
    assert.match(body.offerLinks[0].url, /^https:\/\/variable\.example:8443\/go\/\d+\/[^/]+$/)
    assert.match(body.mailTimerUrl, /^https:\/\/variable\.example:8443\/timer\/en\/[^/]+\.gif$/)

    await t.test('a name with several addresses is one server, at the first of them', async () => {
      assert.equal((await fetch(`${at('127.0.0.1')}/healthz`)).status, 200)
      await assert.rejects(fetch(`${at('[::1]')}/healthz`), 'a second server, whose requests the stop cuts off')
    })
  })

  if (isFull)
    await t.test('every flag wins over its variable', async (t) => {
      const args = ['--rate-limit', '7', '--public-url', 'https://flag.example/base/']
      const variables = { RATE_LIMIT_PER_MINUTE: '5', PUBLIC_URL: 'https://variable.example' }
      const server = await origin.copy(t).serve(args, variables)
      const { body, limit } = await registered(server.base, origin)
      assert.equal(limit, '7')
      assert.match(body.offerLinks[0].url, /^https:\/\/flag\.example\/base\/go\/\d+\/[^/]+$/)
      assert.match(body.mailTimerUrl, /^https:\/\/flag\.example\/base\/timer\/en\/[^/]+\.gif$/)
    })

  await t.test('without a public URL, links begin with the port that was taken', async (t) => {
    const server = await origin.copy(t).serve(['--host', '::1'])
    const { body, limit } = await registered(server.base, origin)
    assert.equal(limit, '120')
    assert.ok(body.offerLinks[0].url.startsWith(`http://localhost:${server.port}/go/`), body.offerLinks[0].url)
    assert.ok(body.mailTimerUrl.startsWith(`http://localhost:${server.port}/timer/`), body.mailTimerUrl)

    await t.test('the one line on standard output says where', async () => {
      assert.match(server.output(), /^Lastcall listening on http:\/\/\[::1\]:\d+\n/)
      assert.equal((await fetch(`${server.origin}/healthz`)).status, 200)
    })
  })

  await t.test('a port that is taken', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    const port = await new Promise<number>((resolve) =>
      holder.once('listening', () => resolve((holder.address() as { port: number }).port)),
    )
    const made = await command(['serve'], { env: { ...env, PORT: String(port) } })
    assertRefused(made, new RegExp(`${port}|PORT`), [1, 2])
    holder.close()
  })

  // Each takes a whole start. That a port is taken is told in the same way.
  const longOne = (name: string, run: () => Promise<void>) => (isFull ? t.test(name, run) : undefined)

  await longOne('a port that is for root alone', async () => {
    // As the system says it to others.
    const refuse = `import { Server } from 'node:net'
      Server.prototype.listen = function () {
        process.nextTick(() => this.emit('error', Object.assign(new Error('listen'), { code: 'EACCES' })))
        return this
      }`
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(refuse)}`
    const made = await command(['serve'], { env: { ...env, PORT: '80', NODE_OPTIONS } })
    assertRefused(made, /PORT: port 80 /, [2])
  })

  await longOne('an address that is not of this machine', async () => {
    for (const host of ['203.0.113.77', '256.256.256.256']) {
      const made = await command(['serve', '--host', host], { env })
      assertRefused(made, host, [1, 2])
    }
  })

  await t.test('SMTP_URL and SMTP_FROM go together, and their values are not repeated', async () => {
    const url = 'smtp://shop:hunter2@127.0.0.1:25'
    const calls: [Record<string, string>, RegExp][] = [
      [{ SMTP_URL: url }, /SMTP_FROM: .*SMTP_URL is set/],
      [{ SMTP_FROM: 'a@example.com' }, /SMTP_URL: .*SMTP_FROM is set/],
      ...[
        '',
        'mail.example',
        'https://mail.example',
        'smtp://',
        'smtp://a b',
        `${url}?tls=hunter2`,
        'smtp://u:25/hunter2@h',
      ].map((SMTP_URL): [Record<string, string>, RegExp] => [
        { SMTP_URL, SMTP_FROM: 'a@example.com' },
        /SMTP_URL: must be/,
      ]),
      ...[
        '',
        'shop',
        'Shop <shop>',
        'a@example.com\r\nBcc: b@example.com',
        'A <a@example.com>, b@example.com',
        'b@example.com, A <a@example.com>',
        '"A\n" <a@example.com>',
      ].map((SMTP_FROM): [Record<string, string>, RegExp] => [{ SMTP_URL: url, SMTP_FROM }, /SMTP_FROM: must be/]),
    ]
    const results = await several(2, calls, ([given]) => sharedCommand(['serve'], { env: { ...env, ...given } }))
    for (const [n, [given, named]] of calls.entries()) {
      const made = results[n] as (typeof results)[0]
      assertRefused(made, named, [2])
      assert.ok(!made.stderr.includes('hunter2'), JSON.stringify(given))
    }
  })

  await t.test('the settings of OpenID Connect go together, and their values are not repeated', async () => {
    const whole = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'hunter3', OIDC_CLIENT_SECRET: 'hunter2' }
    const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = whole
    const issuers = ['', 'id.example', 'http://id.example', 'ftp://id.example', 'https://a:hunter2@id.example']
    const calls: [Record<string, string>, RegExp][] = [
      [{ OIDC_ISSUER, OIDC_CLIENT_ID }, /OIDC_CLIENT_SECRET: .*OIDC_ISSUER is set/],
      [{ OIDC_ISSUER, OIDC_CLIENT_SECRET }, /OIDC_CLIENT_ID: .*OIDC_ISSUER is set/],
      [{ OIDC_CLIENT_SECRET }, /OIDC_ISSUER: .*OIDC_CLIENT_SECRET is set/],
      [{ OIDC_ONLY: 'on' }, /OIDC_ISSUER: .*OIDC_ONLY is set/],
      [{ ...whole, OIDC_ONLY: 'yes' }, /OIDC_ONLY: must be on or off/],
      [{ ...whole, OIDC_CLIENT_ID: '' }, /OIDC_CLIENT_ID: must be/],
      [{ ...whole, OIDC_CLIENT_ID: 'hunter3\r' }, /OIDC_CLIENT_ID: must be/],
      [{ ...whole, OIDC_CLIENT_SECRET: 'hunter2 ' }, /OIDC_CLIENT_SECRET: must be/],
      [{ ...whole, OIDC_CLIENT_SECRET: '' }, /OIDC_CLIENT_SECRET: must be/],
      ...[...issuers, 'https://id.example/?a=hunter2', 'https://id.example/#a'].map(
        (issuer): [Record<string, string>, RegExp] => [{ ...whole, OIDC_ISSUER: issuer }, /OIDC_ISSUER: must be/],
      ),
    ]
    const results = await several(2, calls, ([given]) => sharedCommand(['serve'], { env: { ...env, ...given } }))
    for (const [n, [given, named]] of calls.entries()) {
      const made = results[n] as (typeof results)[0]
      assertRefused(made, named, [2])
      assert.doesNotMatch(made.stderr, /hunter/, JSON.stringify(given))
    }
  })

  await t.test('a variable that is set to nothing is half-set', async () => {
    const empty = Object.keys(wrong)
    const results = await several(2, empty, (name) => sharedCommand(['serve'], { env: { ...env, [name]: '' } }))
    for (const [n, name] of empty.entries()) assertRefused(results[n] as (typeof results)[0], name, [2])
  })

  await t.test('a database in a place where none can be is refused', async () => {
    writeFileSync(join(place.folder, 'file'), 'not a folder')
    mkdirSync(join(place.folder, 'folder.db'))
    symlinkSync(join(place.folder, 'nowhere', 'at-all.db'), join(place.folder, 'dangling.db'))
    const inFolder = (name: string) => join(place.folder, name)
    const paths = [inFolder('file/lastcall.db'), inFolder('folder.db'), inFolder('dangling.db'), '/proc/lastcall.db']
    for (const path of someOf(paths, 2)) {
      const made = await sharedCommand(['serve'], { env: { ...env, DATABASE_URL: `file:${path}` } })
      assertRefused(made, path, [1, 2])
    }
  })

  await t.test('a PostgreSQL that is not there is refused, and does not hang', async () => {
    const made = await sharedCommand(['serve'], { env: { ...env, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' } })
    assertRefused(made, /DATABASE_URL|postgres/i, [1, 2])
    assert.ok(!made.stderr.includes('nobody@'), 'the URL of a database may hold a password')
  })

  await t.test('a socket is a place of PostgreSQL too, with a host before the database or without', async () => {
    const urls = ['postgres:///db?host=/nowhere&user=shop', 'postgres://shop@/db?host=/nowhere']
    for (const url of someOf(urls, 1)) {
      const made = await sharedCommand(['serve'], { env: { ...env, DATABASE_URL: url } })
      assertRefused(made, /PostgreSQL of DATABASE_URL: connect ENOENT \/nowhere\//, [1])
    }
  })

  await t.test('a parameter of DATABASE_URL that the driver would ignore, or take in place of ours', async () => {
    for (const query of [
      ...['SSLMODE=verify-full', 'sslmode=verify-full&sslmode=disable', 'sslmode=bogus', 'sslmode='],
      ...['statement_timeout=60000', 'sslmode=disable&application_name=shop'],
      'uselibpqcompat=true&sslmode=require',
    ]) {
      const url = `postgres://shop:hunter2@127.0.0.1:1/none?${query}`
      const made = await sharedCommand(['serve'], { env: { ...env, DATABASE_URL: url } })
      const form =
        /^lastcall: DATABASE_URL: must be .* each parameter once, in small letters, sslmode one of disable, .*, without uselibpqcompat, .* and none of application_name, .*$/m
      assertRefused(made, form, [2])
    }
  })

  await t.test(
    'a variable of PostgreSQL that the driver would take for no TLS, or wait for ever on, or only some connections would have',
    async () => {
      const DATABASE_URL = 'postgres://shop:hunter2@127.0.0.1:1/none'
      for (const own of [{ PGSSLMODE: 'verify_full' }, { PGOPTIONS: '-c search_path=shop' }, { PGPORT: '99999' }]) {
        const made = await sharedCommand(['serve'], { env: { ...env, ...own, DATABASE_URL } })
        assertRefused(made, new RegExp(`^lastcall: ${Object.keys(own)[0]}: `, 'm'), [2])
      }
    },
  )

  await t.test('a file that DATABASE_URL names and that cannot be read, or has no certificate', async () => {
    const url = 'postgres://shop:hunter2@127.0.0.1:1/none?sslmode=verify-full&sslrootcert='
    const bare = import.meta.filename
    for (const [path, why] of [
      ['/nowhere/ca.pem', 'ENOENT'],
      [bare, 'the file of sslrootcert has no certificate'],
    ] as const) {
      const made = await sharedCommand(['serve'], { env: { ...env, DATABASE_URL: url + path } })
      assertRefused(made, `DATABASE_URL: ${why}`, [2])
      assert.doesNotMatch(made.stderr, /hunter2/)
    }
  })

  await t.test(
    'a PostgreSQL whose certificate is not trusted: the line names sslrootcert, which helps',
    async (own) => {
      const pem = selfSigned()
      const path = join(installation(own).folder, 'ca.pem')
      writeFileSync(path, pem)
      const server = createSecureServer({ key: pem, cert: pem, ALPNProtocols: ['postgresql'] }, (socket) =>
        socket.end(),
      )
      await once(server.listen(0, '127.0.0.1'), 'listening')
      own.after(() => server.close())
      const { port } = server.address() as AddressInfo
      const url = `postgres://shop@127.0.0.1:${port}/none?sslmode=verify-full&sslnegotiation=direct`
      const start = (url: string) => sharedCommand(['serve'], { env: { ...env, DATABASE_URL: url } })
      assertRefused(
        await start(url),
        /: self-signed certificate.*; let sslrootcert in the address name the file of its CA$/m,
        [1],
      )
      assertRefused(await start(`${url}&sslrootcert=${path}`), 'DATABASE_URL: Connection terminated', [1])

      await own.test('its file is read once: a connection that is opened later cannot fail of it', async () => {
        const pool = openPool({ url: `${url}&sslrootcert=${path}`, size: 1, connectMs: 5_000, settings: {} })
        // The second waits for the first, and gets a connection in a callback of the driver.
        const asked = [1, 2].map(() => pool.use(5_000, async () => {}))
        rmSync(path)
        for (const { reason } of (await Promise.allSettled(asked)) as PromiseRejectedResult[])
          assert.match(reason.cause.message, /^Connection terminated/)
        await pool.close()
      })
    },
  )

  await t.test('the demo is one process', async () => {
    const made = await sharedCommand(['demo'], { env: { ...env, WORKERS: '2' } })
    assertRefused(made, /WORKERS or --workers: must be 1/, [2])
  })
})

async function registered(base: string, { key, campaignId }: { key: string; campaignId: number }) {
  const answer = await fetch(`${base}/campaigns/${campaignId}/leads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: '{"email":"a@example.com"}',
  })
  assert.equal(answer.status, 201)
  return { body: (await answer.json()) as any, limit: answer.headers.get('ratelimit-limit') }
}
