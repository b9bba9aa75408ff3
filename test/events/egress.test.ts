// SSRF: where requests must not go, seen by a listener that nobody connects to.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { urlFault } from '../../src/events/egress.ts'
import { openSender } from '../../src/events/sender.ts'
import { openSlots } from '../../src/events/slots.ts'
import { openReceiver, verifies } from '../support/receiver.ts'

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
  }
  for (const { raw, headers } of receiver.all) {
    for (const secret of secrets) assert.ok(verifies(secret, raw, headers))
    assert.ok(!verifies(`whsec_${Buffer.alloc(32, 9).toString('base64')}`, raw, headers))
  }
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
    'https://example.com/ a',
    'https://example.com/\0',
  ]
  for (const url of wrong) assert.ok(urlFault(url, none, own), url)
})

test('slots: an account has at most its share, and whoever waits comes as soon as there is room', async () => {
  const take = openSlots(3, 2)
  const first = await take(1)
  await take(1)
  let third = false
  const waiting = take(1).then((giveBack) => {
    third = true
    return giveBack
  })
  const other = await take(2)
  await new Promise(setImmediate)
  assert.equal(third, false)
  other()
  await new Promise(setImmediate)
  assert.equal(third, false, 'its share is used up')
  first()
  await waiting
  assert.equal(third, true)
})
