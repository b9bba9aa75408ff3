// Of any number of concurrent first registrations of one email exactly one makes the lead.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, applyCampaign, assertStatus, call, leads, lookups, newEmail, openShop } from '../support/api.ts'
import { amount, isFull, longTest } from '../support/faults.ts'

const shop = openShop({ isAlone: isFull })

const register = (email: string, campaignId = shop.owner.campaignId) =>
  call(shop.server, 'POST', leads(campaignId), { key: shop.owner.key, body: { email } })

function assertOneLead(answers: Answer[]): void {
  for (const { status, raw } of answers) assert.ok(status === 200 || status === 201, `${status} ${raw}`)
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  const offers = new Set(answers.map(({ body: { created, ...offer } }) => JSON.stringify(offer)))
  assert.equal(offers.size, 1, 'registeredAt, deadline or links differ')
}

/** Beside other tests a thousand take more than the second that each of them has; then some are answered 503. */
const many = amount(60, 1_000)

test(`${many} at once`, async () => {
  const email = newEmail()
  const answers = await Promise.all(Array.from({ length: many }, () => register(email)))
  assertOneLead(answers)
  const list = await shop.place.json(['lead', 'list', '--campaign', String(shop.owner.campaignId)])
  assert.equal(JSON.stringify(list).split(email).length, 2, 'one lead in the list')
})

const [people, each] = [amount(15, 40), amount(8, 25)]

test(`${people} emails, ${each} of each at once, interleaved`, async () => {
  const emails = Array.from({ length: people }, newEmail)
  const answers = await Promise.all(
    Array.from({ length: each }, () => emails).flatMap((all) => all.map((email) => register(email))),
  )
  for (const email of emails) assertOneLead(answers.filter(({ body }) => body.email === email))
})

test('addresses that differ in case are leads of their own, at once too', async () => {
  const email = newEmail()
  const written = [email, email.toUpperCase(), email.replace('@', '+x@'), `X${email.slice(1)}`]
  const answers = await Promise.all(
    Array.from({ length: each }, () => written).flatMap((all) => all.map((one) => register(one))),
  )
  for (const one of written) assertOneLead(answers.filter(({ body }) => body.email === one))
})

test('registrations and lookups at once agree', async () => {
  const email = newEmail()
  const { key, campaignId } = shop.owner
  const lookUp = () => call(shop.server, 'POST', lookups(campaignId), { key, body: { email } })
  const answers = await Promise.all(
    Array.from({ length: amount(60, 200) }, (_, n) => (n % 2 ? register(email) : lookUp())),
  )
  const found = answers.filter(({ status }) => status !== 404)
  for (const { body } of answers.filter(({ status }) => status === 404)) assert.equal(body.code, 'LEAD_NOT_FOUND')
  const offers = new Set(found.map(({ body: { created, ...offer } }) => JSON.stringify(offer)))
  assert.equal(offers.size, 1)
})

test('with reset on, too, one is first and all agree on when it registered', async () => {
  const deadline = { kind: 'after', period: 'PT48H' }
  const reset = { enabled: true }
  const { id } = await applyCampaign(shop, { mechanism: { startsOn: 'registration', deadline, reset } })
  const email = newEmail()
  const answers = await Promise.all(Array.from({ length: amount(40, 100) }, () => register(email, id)))
  assert.equal(answers.filter(({ status }) => status === 201).length, 1)
  assert.equal(new Set(answers.map(({ body }) => body.registeredAt)).size, 1)
  const last = await register(email, id)
  assertStatus(last, 200)
  for (const { body } of answers) assert.ok(body.deadline <= last.body.deadline)
})

// In the short form test/faults/killed-node.test.ts holds it.
longTest('a registration outlives a kill of the server', async () => {
  const emails = Array.from({ length: 50 }, newEmail)
  const answers = await Promise.all(emails.map((email) => register(email)))
  shop.server.process.kill('SIGKILL')
  const again = await shop.place.serve(['--public-url', 'https://offers.example.com', '--rate-limit', '1000000'])
  for (const { body } of answers) {
    const { created, ...offer } = body
    const options = { key: shop.owner.key, body: { email: offer.email } }
    const found = await call(again, 'POST', lookups(shop.owner.campaignId), options)
    assertStatus(found, 200)
    assert.deepEqual([created, found.body], [true, offer])
  }
})
