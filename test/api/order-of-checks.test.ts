// Of several faults in one request, the one whose row comes first in the contract's table answers; rows 5 to 10
// may come in the framework's own order.
import { before, test } from 'node:test'
import fc from 'fast-check'
import { bodyLimitBytes } from '../../src/core/errors.ts'
import {
  type Answer,
  applyCampaign,
  assertError,
  type Call,
  call,
  leads,
  lookups,
  newEmail,
  openShop,
  withinOneSecond,
} from '../support/api.ts'
import { amount } from '../support/faults.ts'
import { type Owner, owner } from '../support/lastcall.ts'

const shop = openShop()

type People = { plain: Owner; exhausted: Owner; suspended: Owner; both: Owner; stranger: Owner }
type Which = keyof People
const people = {} as People
const revoked = {} as Record<Which, string>
let draftId: number
let draftOfStranger: number

before(async () => {
  await shop.opened
  const { place } = shop
  people.plain = shop.owner
  for (const who of ['exhausted', 'suspended', 'both', 'stranger'] as const) people[who] = await owner(place)
  for (const who of ['plain', 'exhausted', 'suspended', 'both'] as const) {
    const account = String(people[who].accountId)
    const made = await place.json(['key', 'create', '--account', account, '--name', 'revoked'])
    await place.json(['key', 'revoke', made.id])
    revoked[who] = made.key
  }
  for (const who of ['exhausted', 'both'] as const)
    await place.json(['account', 'set', String(people[who].accountId), '--rate-limit', '1'])
  draftId = (await applyCampaign(shop, { isDraft: true })).id
  draftOfStranger = (await applyCampaign(shop, { isDraft: true }, people.stranger.accountId)).id
  const list = (who: Which) => call(shop.server, 'GET', '/campaigns', { key: people[who].key })
  for (const who of ['exhausted', 'both'] as const)
    await withinOneSecond(
      () => list(who),
      ({ status }) => status === 429,
    )
  for (const who of ['suspended', 'both'] as const) {
    await place.json(['account', 'set', String(people[who].accountId), '--suspended', 'true'])
    await withinOneSecond(
      () => list(who),
      ({ status }) => status === 403,
    )
  }
})

type Row = '1' | '2' | '3' | '4' | '5' | '5 cursor' | '6' | '7' | '8' | '9' | '10' | '11' | '12' | '13'

const rows: [Row, number, string][] = [
  ['1', 401, 'UNAUTHORIZED'],
  ['2', 403, 'ACCOUNT_SUSPENDED'],
  ['3', 429, 'RATE_LIMITED'],
  ['4', 404, 'NOT_FOUND'],
  ['5', 422, 'VALIDATION_ERROR'],
  ['5 cursor', 400, 'INVALID_CURSOR'],
  ['6', 422, 'VALIDATION_ERROR'],
  ['7', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['8', 413, 'PAYLOAD_TOO_LARGE'],
  ['9', 400, 'INVALID_JSON'],
  ['10', 422, 'VALIDATION_ERROR'],
  ['11', 404, 'CAMPAIGN_NOT_FOUND'],
  ['12', 409, 'CAMPAIGN_NOT_PUBLISHED'],
  ['13', 404, 'LEAD_NOT_FOUND'],
]

const operations = {
  list: ['1', '2', '3', '4', '5', '5 cursor'],
  register: ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12'],
  lookup: ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '13'],
} satisfies Record<string, Row[]>
type Operation = keyof typeof operations

function whoFails(faults: Set<Row>): Which {
  if (faults.has('2')) return faults.has('3') ? 'both' : 'suspended'
  return faults.has('3') ? 'exhausted' : 'plain'
}

/** One request that has all of these faults and no other. */
function request(operation: Operation, faults: Set<Row>): [method: string, path: string, options: Call] {
  const who = whoFails(faults)
  const key = faults.has('1') ? revoked[who] : people[who].key
  const query = [...(faults.has('5') ? ['colour=red'] : []), ...(faults.has('5 cursor') ? ['afterId=0'] : [])].join('&')
  const options: Call = { key, ...(query ? { query } : {}) }
  const slash = faults.has('4') ? '/' : ''
  if (operation === 'list') return ['GET', `/campaigns${slash}`, options]

  const email = JSON.stringify(newEmail())
  const shape = faults.has('10') ? ',"clientId":1' : ''
  const text = faults.has('9') ? `{"email":${email}${shape},}` : `{"email":${email}${shape}}`
  options.body = faults.has('8') ? text.padEnd(bodyLimitBytes + 1) : text
  options.headers = faults.has('7') ? { 'Content-Type': 'text/plain' } : {}
  const path = operation === 'register' ? leads : lookups
  return ['POST', path(campaignOf(who, faults)) + slash, options]
}

function campaignOf(who: Which, faults: Set<Row>): number {
  if (faults.has('6')) return 0
  if (faults.has('11')) return faults.has('12') ? draftOfStranger : people.stranger.campaignId
  if (faults.has('12')) return who === 'plain' ? draftId : draftOfStranger
  return people[who].campaignId
}

const minute = (at: number) => Math.floor(at / 60_000)

async function ask(operation: Operation, faults: Set<Row>): Promise<Answer> {
  for (;;) {
    const spent = faults.has('3') && !faults.has('1') && !faults.has('2')
    const startedAt = Date.now()
    if (spent) await call(shop.server, 'GET', '/campaigns', { key: people.exhausted.key })
    const answer = await call(shop.server, ...request(operation, faults))
    if (!spent || minute(startedAt) === minute(Date.now())) return answer
  }
}

/** Of these the framework's own order is right too, as long as one of the request's real faults is named. */
const anyOrder: readonly Row[] = ['5', '5 cursor', '6', '7', '8', '9', '10']

async function assertEarliest(operation: Operation, faults: Set<Row>): Promise<void> {
  const present = rows.filter(([row]) => faults.has(row))
  const [earliest] = present
  if (earliest === undefined) throw new Error('a request without a fault')
  const answer = await ask(operation, faults)
  const isLoose = anyOrder.includes(earliest[0])
  const right = isLoose ? present.filter(([row]) => anyOrder.includes(row)) : [earliest]
  const [, status, code] = right.find(([, status]) => status === answer.status) ?? earliest
  assertError(answer, status, code)
}

for (const operation of Object.keys(operations) as Operation[]) {
  const possible: Row[] = operations[operation]
  for (const row of possible) test(`${operation}: row ${row} alone`, () => assertEarliest(operation, new Set([row])))
  possible.forEach((earlier, at) => {
    const later = possible[at + 1]
    if (later)
      test(`${operation}: rows ${earlier} and ${later}`, () => assertEarliest(operation, new Set([earlier, later])))
  })
  // The framework has an order of its own for some of these.
  test(`${operation}: row 4 and each later one`, async () => {
    for (const later of possible.slice(possible.indexOf('4') + 1))
      await assertEarliest(operation, new Set(['4', later]))
  })
}

test('any set of faults shows the earliest, or of rows 5 to 10 one that is there', async () => {
  const cases = fc
    .constantFrom(...(Object.keys(operations) as Operation[]))
    .chain((operation) =>
      fc.tuple(fc.constant(operation), fc.subarray<Row>(operations[operation] as Row[], { minLength: 1 })),
    )
  await fc.assert(
    fc.asyncProperty(cases, ([operation, faults]) => assertEarliest(operation, new Set(faults))),
    { numRuns: amount(100, 400) },
  )
})
