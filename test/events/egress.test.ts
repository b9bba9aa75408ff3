// SSRF: where requests must not go, seen by a listener that nobody connects to.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { urlFault } from '../../src/events/egress.ts'
import { openSender, type Try } from '../../src/events/sender.ts'
import { openSlots } from '../../src/events/slots.ts'
import { eventually } from '../support/api.ts'
import { isFull, longTest } from '../support/faults.ts'
import { answering, openReceiver, verifies } from '../support/receiver.ts'
import { selfSigned } from '../support/self-signed.ts'

const none = { ranges: [], names: [] }
const own = 'https://offers.example.com'

/** As people write loopback, private networks, metadata services and what leads to them. */
const hosts = [
  ...[
    '127.0.0.1',
    '127.1',
    '127.0.1',
    '127.255.255.254',
    '2130706433',
    '0x7f000001',
    '0x7f.1',
    '0177.0.0.1',
    '017700000001',
  ],
  ...[
    '0',
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '192.168.1.1',
  ],
  ...[
    '169.254.169.254',
    '169.254.0.1',
    '2852039166',
    '100.64.0.1',
    '100.127.255.254',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
  ],
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255', '127.0.0.1.'],
  ...[
    '[::1]',
    '[::]',
    '[0:0:0:0:0:0:0:1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:8.8.8.8]',
    '[::ffff:7f00:1]',
    '[::ffff:10.0.0.1]',
    '[::ffff:169.254.169.254]',
  ],
  ...[
    '[64:ff9b::7f00:1]',
    '[64:ff9b::127.0.0.1]',
    '[64:ff9b::a9fe:a9fe]',
    '[2002:7f00:1::]',
    '[2001::1]',
    '[fc00::1]',
    '[fd00::1]',
  ],
  ...[
    '[fd12:3456:789a::1]',
    '[fe80::1]',
    '[fec0::1]',
    '[ff02::1]',
    '[2001:db8::1]',
    '[::127.0.0.1]',
    '[100::1]',
    '[64:ff9b:1::a00:1]',
    '[100:0:0:1::1]',
    '[200::1]',
    '[4000::1]',
    '[fe00::1]',
  ],
  ...['192.88.99.1', '198.19.255.255', '10.1', '192.168.257', '0xa9fea9fe', '[::ffff:0:127.0.0.1]'],
  ...['①②⑦.⓪.⓪.①', '127。0。0。1', 'localhost', 'LOCALHOST', 'a.localhost'],
]

test("SSRF: no connection is made to 60 ways to write an address of one's own network, saved or not", async (t) => {
  let connections = 0
  const listener = createServer((socket) => {
    connections += 1
    socket.destroy()
  })
  t.after(() => listener.close())
  await once(listener.listen(0, '::'), 'listening')
  const { port } = listener.address() as AddressInfo
  const sender = openSender(none)
  t.after(() => sender.close())
  assert.ok(hosts.length >= 60)
  for (const host of hosts) {
    const url = `https://${host}:${port}/`
    const fault = urlFault(url, none, own)
    assert.ok(fault !== undefined, `${host} may be saved`)
    const { status, cause } = await sender.send({ id: 'evt_1', url, body: '{}', at: 1, secrets: [] })
    assert.equal(status, null, host)
    assert.ok(cause === 'blocked' || cause === 'dns', `${host}: ${cause}`)
  }
  assert.equal(connections, 0)
})

/** What a server of names answers: the bytes of an address, an alias, or nothing. Resolves with its own address. */
async function answerNames(
  t: TestContext,
  addressOf: (isForA: boolean) => number[] | 'alias' | undefined,
): Promise<string> {
  const server = createSocket('udp4')
  server.on('message', (question, from) => {
    const end = question.indexOf(0, 12) + 5
    const type = question.readUInt16BE(end - 4)
    const given = addressOf(type === 1)
    const [answered, address] = given === 'alias' ? [5, [1, 97, 0]] : [type, given]
    const head = Buffer.from(question.subarray(0, end))
    head.writeUInt16BE(0x8180, 2)
    head.writeUInt16BE(address === undefined ? 0 : 1, 6)
    head.fill(0, 8, 12)
    const answer = address && Buffer.from([0xc0, 12, 0, answered, 0, 1, 0, 0, 0, 0, 0, address.length, ...address])
    server.send(Buffer.concat([head, answer ?? Buffer.alloc(0)]), from.port, from.address)
  })
  t.after(() => server.close())
  server.bind(0, '127.0.0.1')
  await once(server, 'listening')
  return `127.0.0.1:${server.address().port}`
}

const bytesOf = (address: string) => address.split('.').map(Number)

/** Of who connects, the address that they have reached. */
async function noteReached(t: TestContext, host: string) {
  const reached: (string | undefined)[] = []
  const listener = createServer((socket) => {
    reached.push(socket.localAddress)
    socket.destroy()
  })
  t.after(() => listener.close())
  await once(listener.listen(0, host), 'listening')
  return { reached, port: (listener.address() as AddressInfo).port }
}

type ByName = { dns: string[]; ranges: string[]; port: number; times: number; trusted?: string; env?: object }

/** A process that sends to a name, and what came of each time. The file says whom it asks for the address. */
async function sendByName(t: TestContext, asked: ByName): Promise<(string | null)[]> {
  const { dns, ranges, port, times, trusted, env } = asked
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-dns-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const [file, dnsFile, trustedFile] = [join(folder, 'program.mjs'), join(folder, 'dns'), join(folder, 'trusted.pem')]
  if (trusted !== undefined) writeFileSync(trustedFile, trusted)
  const preload = join(import.meta.dirname, '..', 'support', 'own-dns.ts')
  const program = `
    import { writeFileSync } from 'node:fs'
    import { openSender } from ${JSON.stringify(join(import.meta.dirname, '../../src/events/sender.ts'))}
    const sender = openSender({ ranges: ${JSON.stringify(ranges)}, names: [] })
    const causes = []
    // A sender keeps no process alive.
    setInterval(() => {}, 1_000)
    for (const dns of ${JSON.stringify(dns)}) {
      writeFileSync(${JSON.stringify(dnsFile)}, dns)
      for (let n = 0; n < ${times}; n += 1) {
        const url = 'https://changes.example.com:${port}/'
        causes.push((await sender.send({ id: 'evt_1', url, body: '{}', at: 1, secrets: [] })).cause)
      }
    }
    console.log(JSON.stringify(causes))
    process.exit()`
  writeFileSync(file, program)
  const own = { env: { TEST_DNS: dnsFile, ...(trusted && { NODE_EXTRA_CA_CERTS: trustedFile }), ...env } }
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [`--import=${preload}`, file], own)
  assert.equal(stderr, '', 'each connection would fill the log with it')
  return JSON.parse(stdout)
}

test('a name with another address at each look-up is checked at the connection, and writes nothing to the log', async (t) => {
  // The one address stands for what is allowed, the other for what is not.
  const [good, bad] = ['127.0.0.2', '127.0.0.1']
  let asked = 0
  const dns = await answerNames(t, (isForA) => {
    const address = asked++ % 2 === 0 ? good : bad
    return isForA ? bytesOf(address) : undefined
  })
  const { reached, port } = await noteReached(t, '0.0.0.0')
  const alias = await answerNames(t, () => 'alias')
  const ranges = ['fd00::/8', `${good}/32`]
  // Under systemd a process may not learn which addresses the machine has.
  const env = { TEST_INTERFACES: 'hidden' }
  const all = await sendByName(t, { dns: [alias, dns], ranges, port, times: 6, env })
  const causes = all.splice(6)
  assert.deepEqual(all, Array(6).fill('dns'), 'an alias that leads to no address')
  assert.ok(causes.includes('blocked') && causes.includes('reset'), `${causes}`)
  assert.ok(reached.length > 0 && reached.every((address) => address === good), `${reached}`)
})

test('a server without a certificate that is trusted is told nothing, and an event goes out again only where it may', async (t) => {
  const [good, bad] = ['127.0.0.2', '127.0.0.1']
  const dnsOf = (address: string) => answerNames(t, (isForA) => (isForA ? bytesOf(address) : undefined))
  const [dns, moved] = [await dnsOf(good), await dnsOf(bad)]
  const [strange, trusted] = [selfSigned(), selfSigned()]
  const reached: (string | undefined)[] = []
  let asked = 0
  const server = createHttpsServer({ key: strange, cert: strange }, ({ socket }, response) => {
    asked += 1
    if (asked === 1) response.writeHead(204).end()
    else socket.destroy()
  })
  server.on('connection', (socket) => {
    reached.push(socket.localAddress)
    // For the next ones.
    server.setSecureContext({ key: trusted, cert: trusted })
  })
  t.after(async () => void server.close())
  await once(server.listen(0, '0.0.0.0'), 'listening')
  const { port } = server.address() as AddressInfo
  // The third breaks the connection that was kept, and the name has another address by then.
  const causes = await sendByName(t, { dns: [dns, dns, moved], ranges: [`${good}/32`], port, times: 1, trusted })
  assert.deepEqual([causes, asked], [['tls', null, 'blocked'], 2])
  assert.deepEqual(reached, [good, good])
})

longTest('a machine that has IPv6 alone reaches who has both', async (t) => {
  const dns = await answerNames(t, (isForA) => (isForA ? [127, 0, 0, 1] : [...Array(15).fill(0), 1]))
  const { reached, port } = await noteReached(t, '::')
  const ranges = ['127.0.0.1/32', '::1/128']
  for (const env of [{}, { TEST_INTERFACES: 'IPv6' }]) await sendByName(t, { dns: [dns], ranges, port, times: 1, env })
  assert.deepEqual(reached, ['::ffff:127.0.0.1', '::1'])
})

longTest('whom to ask for addresses may change while the server runs, and none is taken for the server', async (t) => {
  // Nobody is there at first.
  const dns = ['127.0.0.1:9', await answerNames(t, () => [127, 0, 0, 1])]
  const { port } = await noteReached(t, '127.0.0.1')
  assert.deepEqual(await sendByName(t, { dns, ranges: ['127.0.0.1/32'], port, times: 1 }), ['dns', 'reset'])
})

test('EGRESS_ALLOW: what the operator allows is reached, by http too, and nothing beside it', async (t) => {
  const receiver = await openReceiver(t)
  const { port } = new URL(receiver.origin)
  const secrets = [`whsec_${Buffer.alloc(32, 7).toString('base64')}`, `whsec_${Buffer.alloc(32, 8).toString('base64')}`]
  const delivery = (host: string) => ({
    id: 'evt_1',
    url: `http://${host}:${port}/a`,
    body: '{"a":"ż"}',
    at: Math.floor(Date.now() / 1_000),
    secrets,
  })
  for (const [egress, host] of [
    [{ ranges: ['127.0.0.0/8'], names: [] }, '127.0.0.1'],
    [{ ranges: [], names: ['localhost'] }, 'localhost'],
  ] as const) {
    const sender = openSender(egress)
    t.after(() => sender.close())
    assert.equal(urlFault(`http://${host}:80/`, egress, own), undefined)
    const { status } = await sender.send(delivery(host))
    assert.equal(status, 204, host)
    assert.equal((await sender.send(delivery('10.0.0.1'))).cause, 'blocked')
    assert.ok(urlFault('http://10.0.0.1/', egress, own))
    // Below a path, the rest of the host is not Lastcall's.
    for (const [path, isOwn] of Object.entries({
      '/lastcall': true,
      '/lastcall/a': true,
      '/lastcalls': false,
      '/': false,
    }))
      assert.equal(/itself/.test(urlFault(own + path, egress, `${own}/lastcall`) ?? ''), isOwn, path)
    assert.match(urlFault(`${own}/hooks`, egress, own) ?? '', /itself/)
  }
  for (const { raw, headers } of receiver.all) {
    for (const secret of secrets) assert.ok(verifies(secret, raw, headers))
    assert.ok(!verifies(`whsec_${Buffer.alloc(32, 9).toString('base64')}`, raw, headers))
  }
})

test('Retry-After: seconds, or a date in one of the forms of HTTP, in UTC; anything else, none and what has passed say nothing', async (t) => {
  const receiver = await openReceiver(t)
  const sender = openSender({ ranges: ['127.0.0.1/32'], names: [] })
  t.after(() => sender.close())
  const asked = async (given: string) => {
    receiver.answers.set('/', answering(503, { 'retry-after': given }))
    const delivery = { id: 'evt_1', url: `${receiver.origin}/`, body: '{}', at: 1, secrets: [] }
    return (await sender.send(delivery)).retryAfterSeconds
  }
  const inUtc = new Date(Date.now() + 900_000).toUTCString()
  const [day = '', date = '', month = '', year = '', time = ''] = inUtc.split(/,? /)
  const long = `${{ Tue: 'Tues', Wed: 'Wednes', Thu: 'Thurs', Sat: 'Satur' }[day] ?? day}day`
  const dates = [
    `${day}, ${date} ${month} ${year} ${time} GMT`,
    `${long}, ${date}-${month}-${year.slice(2)} ${time} GMT`,
    `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`,
  ]
  for (const written of dates) {
    const seconds = (await asked(written)) ?? 0
    assert.ok(seconds > 890 && seconds <= 900, `${written}: ${seconds}`)
  }
  assert.equal(await asked('120'), 120)
  const others = ['soon 5', 'May 2099', 'Sun, 06 Nov 2099', `${day}, ${date} ${month} ${year} ${time}`, '-1', '1.5', '']
  others.push('0', 'Sun, 06 Nov 1994 08:49:37 GMT')
  for (const written of others) assert.equal(await asked(written), null, written)
})

/** Sends an event to a server that says what `onData` has it say. */
async function sendTo(
  t: TestContext,
  onData: (socket: Socket, data: string | Buffer) => void,
  scheme = 'http',
): Promise<() => Promise<Try>> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', (data) => onData(socket, data))
  })
  t.after(async () => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const sender = openSender({ ranges: ['127.0.0.1/32'], names: [] })
  t.after(() => sender.close())
  const url = `${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const keepsRunning = setInterval(() => {}, 1_000)
  t.after(async () => clearInterval(keepsRunning))
  return () => sender.send({ id: 'evt_1', url, body: '{}', at: 1, secrets: [] })
}

test('a server that closes connections it had kept, in the moment they are used again, gets everything at once', async (t) => {
  const text = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
  const send = await sendTo(t, (socket, data) => {
    if (!data.includes('{}')) return
    socket.write(text)
    setTimeout(() => socket.destroy(), 1)
  })
  for (let round = 0; round < 50; round += 1) {
    const some = Array.from({ length: 4 }, send)
    assert.deepEqual(
      (await Promise.all(some)).map(({ cause }) => cause),
      [null, null, null, null],
      `${round}`,
    )
  }
})

test('an event by which the server breaks the connection goes out twice at most, however many are kept', async (t) => {
  let broken = 0
  const receiver = await openReceiver(t)
  receiver.answers.set('/', ({ data }, response) => {
    if (data === 'breaks') broken += 1
    if (data === 'breaks') response.socket?.resetAndDestroy()
    else response.writeHead(204).end()
  })
  const sender = openSender({ ranges: ['127.0.0.1/32'], names: [] })
  t.after(() => sender.close())
  const send = (data: string) =>
    sender.send({ id: 'evt_1', url: receiver.origin, body: JSON.stringify({ data }), at: 1, secrets: [] })
  const kept = await Promise.all(Array.from({ length: 16 }, () => send('is taken')))
  assert.ok(kept.every(({ status }) => status === 204))
  assert.equal((await send('breaks')).cause, 'reset')
  assert.ok(broken <= 2, `${broken}`)
})

test('a server that answers 101 has failed at once: nobody waits 15 seconds for what it says then', async (t) => {
  const text = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'
  const send = await sendTo(t, (socket) => socket.write(text))
  const { cause, milliseconds } = await send()
  assert.equal(cause, 'reset')
  assert.ok(milliseconds < 10_000, `${milliseconds}`)
})

test('a server that answers 1xx without end has failed, and holds up no other', async (t) => {
  const text = 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1_000)
  const send = await sendTo(t, (socket) => {
    const goOn = () => {
      while (!socket.destroyed && socket.write(text));
    }
    socket.on('drain', goOn)
    goOn()
  })
  const { cause, milliseconds } = await send()
  assert.equal(cause, 'reset')
  assert.ok(milliseconds < 10_000, `${milliseconds}`)
})

test('connecting may take 5 seconds: a server that begins no TLS holds a request no longer', async (t) => {
  const send = await sendTo(t, () => {}, 'https')
  const { cause, milliseconds } = await send()
  assert.equal(cause, 'timeout')
  assert.ok(milliseconds >= 4_990 && milliseconds < 7_500, `${milliseconds}`)
})

test('a server that answers 1xx a few times is waited for', async (t) => {
  const send = await sendTo(t, (socket) => {
    socket.write(`${'HTTP/1.1 102 Processing\r\n\r\n'.repeat(15)}HTTP/1.1 204 No Content\r\n\r\n`)
  })
  assert.equal((await send()).status, 204)
})

test('a thread that breaks is no secret: what was under way has failed, and it is said why', async () => {
  const broke: unknown[] = []
  const sender = openSender({ ...none, ranges: null as never }, (error) => broke.push(error))
  const sent = await sender.send({ id: 'evt_1', url: own, body: '{}', at: 1, secrets: [] })
  assert.equal(sent.cause, 'timeout')
  assert.match(String(broke), /TypeError/)
})

test('on Linux the thread that sends has a lower priority than the server, which keeps its own', async (t) => {
  if (process.platform !== 'linux') return
  const { origin } = await openReceiver(t)
  const sender = openSender({ ranges: ['127.0.0.1/32'], names: [] })
  t.after(() => sender.close())
  const own = getPriority()
  const result = await sender.send({ id: 'evt_1', url: origin, body: '{}', at: 1, secrets: [] })
  assert.equal(result.status, 204)
  assert.equal(getPriority(), own)
  assert.equal(Math.max(...priorities()), Math.min(own + 10, 19))
})

/** Of each thread of this process (proc_pid_stat(5), field 19). */
function priorities(): number[] {
  const stats = readdirSync('/proc/self/task').map((thread) => readFileSync(`/proc/self/task/${thread}/stat`, 'utf8'))
  // The name, in parentheses, may hold spaces.
  return stats.map((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]))
}

test('a server that answers before it has read the request is sent no more of it', async (t) => {
  let socket: Socket | undefined
  const server = createServer((one) => {
    socket = one.once('data', () => one.pause().write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
    one.on('error', () => {})
  })
  t.after(async () => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const sender = openSender({ ranges: ['127.0.0.1/32'], names: [] })
  t.after(() => sender.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  // More than fits between the two.
  const body = 'x'.repeat(32_000_000)
  assert.equal((await sender.send({ id: 'evt_1', url, body, at: 1, secrets: [] })).status, 200)
  await sleep(200)
  let bytes = 0
  socket?.on('data', (chunk) => {
    bytes += chunk.length
  })
  await once(socket?.resume() as Socket, 'close')
  assert.ok(bytes < body.length / 2, `${bytes}`)
})

test('a server whose answers never end holds at most 64 connections', async (t) => {
  const open = new Set<unknown>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    socket.on('data', (data) => {
      if (data.includes('{}')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nx')
    })
  })
  t.after(async () => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const sender = openSender({ ranges: ['127.0.0.1/32'], names: [] })
  t.after(() => sender.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  for (let round = 0; round < 20; round += 1) {
    const some = Array.from({ length: 10 }, () => sender.send({ id: 'evt_1', url, body: '{}', at: 1, secrets: [] }))
    for (const { status } of await Promise.all(some)) assert.equal(status, 200)
  }
  const left = await eventually(
    5,
    async () => open.size,
    (count) => count <= 64,
  )
  assert.equal(left, 64)
  // In the long form alone: after 15 seconds these lose theirs too.
  if (isFull)
    await eventually(
      20,
      async () => open.size,
      (count) => count === 0,
    )
})

test('of all servers together 256 connections are kept, and that of one who hears much is among them', async (t) => {
  const open = new Set<Socket>()
  const reached: Record<string, number> = {}
  const server = createServer((socket) => {
    open.add(socket)
    reached[socket.localAddress ?? ''] = (reached[socket.localAddress ?? ''] ?? 0) + 1
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    socket.on('data', (data) => {
      if (data.includes('{}')) socket.write('HTTP/1.1 204 No Content\r\n\r\n')
    })
  })
  t.after(async () => void server.close())
  await once(server.listen(0, '0.0.0.0'), 'listening')
  const sender = openSender({ ranges: ['127.0.0.0/8'], names: [] })
  t.after(() => sender.close())
  const { port } = server.address() as AddressInfo
  const send = (host: string) =>
    sender.send({ id: 'evt_1', url: `http://${host}:${port}/`, body: '{}', at: 1, secrets: [] })
  for (let some = 0; some < 20; some += 1) {
    const hosts = Array.from({ length: 20 }, (_, index) => `127.0.${some + 1}.${index + 1}`)
    for (const { status } of await Promise.all(['127.0.0.1', ...hosts].map(send))) assert.equal(status, 204)
  }
  const left = await eventually(
    5,
    async () => open.size,
    (count) => count <= 256,
  )
  assert.equal(left, 256)
  assert.equal(reached['127.0.0.1'], 1)
})

test('addresses: https alone, port 443 or from 1,024 on, no user name, not Lastcall itself', () => {
  for (const url of [
    'https://example.com',
    'https://example.com:443/a?b=c',
    'https://hooks.example.com:8443/',
    'https://1.1.1.1/',
    'https://[2606:4700::1111]/',
  ])
    assert.equal(urlFault(url, none, own), undefined, url)
  const wrong = [
    '',
    'example.com',
    'ftp://example.com/',
    'http://example.com/',
    'https://example.com:22/',
    'https://u:p@example.com/',
    `${own}/a`,
    `https://example.com/${'a'.repeat(2_048)}`,
    'https://example.com/#a',
    'https://example.com/#',
    'https://example.com/\ud800',
    'https://example.com/ a',
    'https://example.com/\0',
    'https:example.com',
    'https:\\\\example.com\\a',
    'https://@example.com/',
    'https:///u:p@example.com/',
    'https:////example.com/',
    'https://localhost./',
    'https://foo.localhost./',
    'https://localhost%2e/',
    `${own}./a`,
  ]
  for (const url of wrong) assert.ok(urlFault(url, none, own), url)
  const tooLong = `https://example.com/${'a'.repeat(2_027)}\u{1f600}`
  assert.match(String(urlFault(tooLong, none, own)), /of at most 2048 characters$/, 'half of its end is no character')
  // Pasted with the address, and every event would get 404.
  for (const [unseen, code] of Object.entries({ '\u200b': '200B', '\u00ad': '00AD', '\u202e': '202E', '\0': '0000' }))
    assert.equal(
      urlFault(`https://example.com/x${unseen}`, none, own),
      `must be without the invisible character U+${code}`,
    )
})

/** An endpoint of an account. */
const of = (accountId: number, id = accountId * 100) => ({ accountId, id })

test('slots: an account has at most its share, and what waits comes as soon as there is room', async () => {
  const take = openSlots(3)
  const first = await take(of(1, 101))
  await take(of(1, 102))
  let third = false
  const waiting = take(of(1, 103)).then((giveBack) => {
    third = true
    return giveBack
  })
  const other = await take(of(2))
  await new Promise(setImmediate)
  assert.equal(third, false)
  other()
  await new Promise(setImmediate)
  assert.equal(third, false, 'its share is used up')
  first()
  await waiting
  assert.equal(third, true)
})

test('slots: where an endpoint takes all that its account may have, another of the account has one at once, again and again', {
  timeout: 5_000,
}, async () => {
  const take = openSlots(64)
  for (let times = 0; times < 100; times += 1) void take(of(1, 101))
  const others = Array.from({ length: 3 }, () => take(of(1, 102)))
  for (const other of others) (await other)()
})

test('slots: where the servers of other accounts hang, one more account has a slot at once', {
  timeout: 5_000,
}, async () => {
  const take = openSlots(64)
  for (const accountId of [1, 2, 3]) Array.from({ length: 100 }, () => take(of(accountId)))
  const giveBack = await take(of(4))
  giveBack()
})
