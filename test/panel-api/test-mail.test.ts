// A test mail: what one lead would get, to the user who asks.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { readConfig } from '../../src/config.ts'
import { openMailer } from '../../src/mail/mailer.ts'
import { tester } from '../support/actor.ts'
import { appliedCampaign, campaignFile } from '../support/lastcall.ts'
import { mailingServer } from '../support/mail-server.ts'
import { panelSession, plainServer } from '../support/panel-session.ts'

const { place, server, mail } = await mailingServer()

/** In three languages the usual picture would take seconds. */
const small = { width: 200, height: 50, pixelsPerPoint: 1 }

async function owner(name: string) {
  const { id: accountId } = await place.arrange((store) => store.configuration.createAccount(name, tester))
  const ask = await panelSession(place, server, accountId)
  const made = (changes: object) =>
    place.arrange((store) =>
      appliedCampaign(store, accountId, campaignFile({ language: 'de', mailTimer: small, ...changes })),
    )
  const campaign = await made({ name: 'Herbst' })
  const path = `/campaigns/${campaign.id}`
  const { ref } = (await ask('POST', `${path}/leads`, { email: 'lead@example.com' })).body
  const send = (isSent: boolean, lead = ref, of = path) =>
    ask('POST', `${of}/test-mail`, { ref: lead, link: 0, isSent })
  return { ask, accountId, made, path, ref, send, address: `user-of-${accountId}@example.com` }
}

const from = { name: '', address: 'offers@shop.example' }

/** The text of a mail, its lines put together again. */
const decoded = (text: string) =>
  text.replace(/=\r?\n/g, '').replace(/=([\dA-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))

test('a test mail goes to the user’s own address, with the link, countdown and deadline of the lead, five an hour', async () => {
  const { send, ref, address, ask, path } = await owner('Owner')
  assert.equal((await ask('GET', '/session')).body.ways.hasMail, true)
  // A page that was removed since: the tag is that of the first.
  assert.match((await ask('GET', `${path}/mail?link=5`)).body.html, /LC_LINK\b/)
  const { status, body } = await send(true)
  assert.deepEqual([status, body], [200, { sentTo: address, file: null }])
  const received = () => mail.received.filter(({ to }) => to.includes(address))
  const [first] = received()
  assert.deepEqual([first?.from, first?.to, first?.user], ['offers@shop.example', [address], 'shop'])
  const text = decoded(first?.text ?? '')
  assert.match(text, /^From: Lastcall <offers@shop\.example>\r?$/m)
  assert.match(text, /^Subject: Herbst\r?$/m)
  assert.match(text, new RegExp(`<a href="${server.origin.replace('127.0.0.1', 'localhost')}/go/\\d+/${ref}"><img`))
  assert.match(text, new RegExp(`/timer/de/${ref}\\.gif\\?m=1`))
  assert.match(text, /Das Angebot endet am <strong>\d{1,2}\. \S+ \d{4} um \d\d:\d\d Uhr<\/strong>/)
  assert.doesNotMatch(text, /lead@example\.com|LC_/)

  const more = [await send(true), await send(true), await send(true), await send(true), await send(true)]
  assert.deepEqual(
    more.map((answer) => answer.status),
    [200, 200, 200, 200, 429],
  )
  const wait = more.at(-1)?.body.retryAfterSeconds
  assert.ok(wait > 3_000 && wait <= 3_600, String(wait))
  assert.equal(received().length, 5)
  // A file is nobody's mail.
  assert.equal((await send(false)).status, 200)
})

test('the HTML of a campaign without a timer has no picture', async () => {
  const { made, ask } = await owner('Timeless')
  const { id } = await made({ name: 'Timeless', mailTimer: null })
  const { html } = (await ask('GET', `/campaigns/${id}/mail`)).body
  assert.match(html, /^<p>.*<a href="LC_LINK">/)
})

test('the HTML names the deadline only where a new lead has one', async () => {
  const { made, ask, path, send } = await owner('Visited')
  const htmlOf = async (of: string) => (await ask('GET', `${of}/mail`)).body.html as string
  assert.match(await htmlOf(path), /alt="Das Angebot endet am LC_END".*Das Angebot endet am <strong>LC_END/s)
  const fromVisit = 'Ihre Zeit für dieses Angebot beginnt mit Ihrem ersten Besuch der Seite.'
  for (const [startsOn, deadline, says] of [
    ['visit', { kind: 'after', period: 'PT48H' }, `${fromVisit} `],
    ['registration', { kind: 'none' }, ''],
  ] as const) {
    const { id } = await made({ name: 'Later', mechanism: { startsOn, deadline } })
    const html = await htmlOf(`/campaigns/${id}`)
    assert.match(html, /src="LC_TIMER\?m=1".*alt="Zum Angebot"/s)
    assert.ok(html.includes(`<p>${says}<a href="LC_LINK">Zum Angebot`), html)
    assert.doesNotMatch(html, /LC_END/)
    // Nor does the test mail, also to a lead who has a deadline by now.
    const { ref } = (await ask('POST', `/campaigns/${id}/leads`, { email: 'visitor@example.com' })).body
    const byHand = await ask('PUT', `/campaigns/${id}/leads/deadlines`, { refs: [ref], to: '2036-01-01T10:00' })
    assert.equal(byHand.status, 200)
    const { file } = (await send(false, ref, `/campaigns/${id}`)).body
    // In both, the text and the HTML.
    const sentences = Buffer.from(decoded(file), 'latin1').toString().split(fromVisit)
    assert.equal(sentences.length - 1, says === '' ? 0 : 2, file)
    assert.match(decoded(file), /Zum Angebot/)
    assert.doesNotMatch(decoded(file), /Angebot endet/)
  }
})

test('the file is that mail, as a draft', async () => {
  const { send, ref, address } = await owner('Filer')
  const before = mail.received.length
  const { status, body } = await send(false)
  assert.deepEqual([status, body.sentTo], [200, null])
  const text = decoded(body.file)
  assert.match(text, /^X-Unsent: 1\r$/m)
  assert.match(text, new RegExp(`^To: ${address}\r$`, 'm'))
  assert.ok(text.includes(`/timer/de/${ref}.gif?m=1`))
  assert.equal(mail.received.length, before)
})

test('no test mail for a draft, for a lead of another campaign, or for an unknown lead', async () => {
  const { send, made, ref } = await owner('Drafter')
  const draft = await made({ isDraft: true })
  const other = await made({})
  assert.equal((await send(true, ref, `/campaigns/${draft.id}`)).body.code, 'CAMPAIGN_IS_DRAFT')
  assert.equal((await send(true, ref, `/campaigns/${other.id}`)).body.code, 'NOT_FOUND')
  assert.equal((await send(true, '0'.repeat(32))).body.code, 'NOT_FOUND')
})

test('a refusal of the mail server is told, and neither answer nor log has its words or the login', async (t) => {
  const { send, address } = await owner('Refused')
  const before = server.output().length
  mail.state.isFull = true
  t.after(() => {
    mail.state.isFull = false
  })
  const { status, body } = await send(true)
  assert.deepEqual([status, body.code], [502, 'MAIL_NOT_SENT'])
  assert.match(server.output().slice(before), /"code":"EMESSAGE 450".*a mail was not sent/)
  assert.doesNotMatch(server.output() + JSON.stringify(body), new RegExp(`no room|hunter2|${address}`))
})

test('a mail server whose answer never ends is given up after half a minute, and its connection is closed', async (t) => {
  const closed = Promise.withResolvers<void>()
  const dripping = createServer((socket) => {
    socket.write('220 shop.example\r\n')
    const drip = setInterval(() => socket.write('250-MORE\r\n'), 20)
    socket.on('error', () => {})
    socket.on('close', () => {
      clearInterval(drip)
      closed.resolve()
    })
  })
  t.after(() => dripping.close())
  await once(dripping.listen(0, '127.0.0.1'), 'listening')
  const { timeout } = AbortSignal
  const limit = t.mock.method(AbortSignal, 'timeout', () => timeout(200))
  const { send } = openMailer({
    url: `smtp://127.0.0.1:${(dripping.address() as AddressInfo).port}`,
    from,
  })
  const sent = send({ to: 'owner@example.com', subject: 'Herbst', text: 'text', html: 'html' })
  await assert.rejects(sent, { name: 'MailNotSent', code: 'EABORT' })
  assert.deepEqual(
    limit.mock.calls.map(({ arguments: [ms] }) => ms),
    [30_000],
  )
  await closed.promise
})

test('the code of a mail that was not sent says why there was no connection', async (t) => {
  // With the library's certificate, which has expired.
  const expired = new SMTPServer({ authOptional: true }).on('error', () => {})
  t.after(() => expired.close())
  await once(expired.listen(0, '127.0.0.1'), 'listening')
  const { port } = expired.server.address() as AddressInfo
  for (const [url, code] of [
    ['smtp://127.0.0.1:1', 'ESOCKET ECONNREFUSED'],
    [`smtp://127.0.0.1:${port}`, 'ESOCKET CERT_HAS_EXPIRED'],
    [`smtps://127.0.0.1:${port}`, 'ESOCKET ERR_SSL_WRONG_VERSION_NUMBER'],
  ] as const) {
    const { send } = openMailer({ url, from })
    const sent = send({ to: 'owner@example.com', subject: 'Herbst', text: 'text', html: 'html' })
    await assert.rejects(sent, { name: 'MailNotSent', code })
  }
})

test('no mail goes to an address that the library would change', async () => {
  const { send } = openMailer({ url: 'smtp://127.0.0.1:1', from })
  const sent = send({ to: '"a<b>c"@example.com', subject: 'Herbst', text: 'text', html: 'html' })
  await assert.rejects(sent, { name: 'MailNotSent', code: 'EENVELOPE' })
})

test('a mail goes to one mailbox, whatever its domain literal looks like', async (t) => {
  const recipients: string[] = []
  const answers = { DATA: '354 go on', QUIT: '221 bye' } as Record<string, string>
  // It takes every address.
  const server = createServer((socket) => {
    socket.write('220 here\r\n')
    socket.on('error', () => {})
    socket.on('data', (data) => {
      const lines = String(data).trimEnd().split('\r\n')
      recipients.push(...lines.flatMap((line) => /^RCPT TO:(.*)$/.exec(line)?.[1] ?? []))
      socket.write(`${answers[lines.at(-1)?.slice(0, 4) ?? ''] ?? '250 fine'}\r\n`)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const url = `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { send, write } = openMailer({ url, from })
  for (const to of ['joe@[t:,a@evil.com]', 'joe@[t:;a@evil.com]', 'joe@example.com']) {
    const mail = { to, subject: 'Herbst', text: 'text', html: 'html' }
    await send(mail)
    assert.deepEqual(recipients.splice(0), [`<${to}>`])
    assert.match(await write(mail), new RegExp(`^To: <?${RegExp.escape(to)}>?\r$`, 'm'))
  }
})

test('whoever SMTP_FROM names is one sender, and the name is whole', async (t) => {
  t.after(() => {
    delete process.env.SMTP_URL
    delete process.env.SMTP_FROM
  })
  process.env.SMTP_URL = 'smtp://127.0.0.1:1'
  for (const [given, header] of [
    ['x@y.example', 'x@y.example'],
    ['<x@y.example>', 'x@y.example'],
    ['Ada <x@y.example>', 'Ada <x@y.example>'],
    ['Ada: Team <x@y.example>', '"Ada: Team" <x@y.example>'],
    ['Ada (news) <x@y.example>', '"Ada (news)" <x@y.example>'],
    ['"Ada, Inc." <x@y.example>', '"Ada, Inc." <x@y.example>'],
    ['"Ada \\"A\\" <a@y.example>" <x@y.example>', '"Ada \\"A\\" <a@y.example>" <x@y.example>'],
  ] as const) {
    process.env.SMTP_FROM = given
    const { write } = openMailer(readConfig().smtp)
    const draft = await write({ to: 'a@[x:"<q>]', subject: 'Herbst', text: 'text', html: 'html' })
    assert.deepEqual(/^From: (.*)\r$/m.exec(draft)?.[1], header)
    assert.match(draft, /^To: <[^<>]+>\r$/m, 'one mailbox')
  }
})

test('an account has 30 invitations and test mails an hour sent, however many users it has', async () => {
  const { ask, accountId, send } = await owner('Many')
  const another = await panelSession(place, server, accountId, 'member')
  const { users } = (await ask('GET', '/users')).body
  assert.equal((await ask('PATCH', `/users/${users.at(-1).id}`, { role: 'owner' })).status, 200)
  assert.equal((await send(true)).status, 200)
  const invite = (by: typeof ask, n: number) =>
    by('POST', '/invitations', { role: 'viewer', email: `guest-${n}@example.com` })
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => invite(n % 2 === 0 ? ask : another, n)))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [...Array(29).fill(200), 429])
  assert.equal((await send(true)).status, 429)
  const passedOn = await another('POST', '/invitations', { role: 'viewer' })
  assert.deepEqual([passedOn.status, passedOn.body.mail], [200, 'none'])
})

test('without a mail server nothing is sent, and the file is there', async () => {
  const { place: origin, server: silent } = await plainServer()
  const { id: accountId } = await origin.arrange((store) => store.configuration.createAccount('Silent', tester))
  const ask = await panelSession(origin, silent, accountId)
  const campaign = await origin.arrange((store) => appliedCampaign(store, accountId, campaignFile()))
  const path = `/campaigns/${campaign.id}`
  const { ref } = (await ask('POST', `${path}/leads`, { email: 'lead@example.com' })).body
  assert.equal((await ask('GET', '/session')).body.ways.hasMail, false)
  const refused = await ask('POST', `${path}/test-mail`, { ref, link: 0, isSent: true })
  assert.deepEqual([refused.status, refused.body.code], [409, 'NO_MAIL_SERVER'])
  const { body } = await ask('POST', `${path}/test-mail`, { ref, link: 0, isSent: false })
  assert.match(body.file, new RegExp(`^From: user-of-${accountId}@example\\.com\r$`, 'm'))
})
