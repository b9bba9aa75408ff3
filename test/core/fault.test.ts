// What is wrong with a file is said without what stands there: a refused URL may carry a password.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCampaign } from '../../src/core/campaign.ts'
import type { Fault } from '../../src/core/fault.ts'
import { simulate } from '../../src/core/simulate.ts'

const daysAt = { kind: 'daysAt', days: 3, time: '23:59', skipWeekdays: ['sat'], skipDates: ['2026-12-24'] }
const weekly = { every: 'week', on: ['fri'], time: '10:00' }
const monthly = { every: 'month', on: [1], time: '10:00' }
const deadlines = [
  { kind: 'fixed', at: '2026-12-31T10:00', opensAt: '2026-12-01T10:00' },
  { kind: 'after', period: 'PT48H' },
  daysAt,
  {
    ...daysAt,
    kind: 'next',
    days: undefined,
    time: undefined,
    closes: weekly,
    opens: monthly,
    minLead: 'P1D',
  },
  { kind: 'none' },
]
const campaigns = deadlines.map((deadline) => ({
  id: 1,
  name: 'Autumn course',
  isDraft: false,
  timeZone: 'Europe/Warsaw',
  language: 'en',
  mechanism: {
    startsOn: 'registration',
    deadline,
    endsAt: '2027-01-01T00:00',
    reset: { enabled: false, max: 1 },
    retry: { enabled: false, after: 'P1D', max: 1 },
    cycle: { enabled: false, pause: 'P1D', max: 1 },
  },
  anonymous: { enabled: true },
  onExpiry: { action: 'REDIRECT', redirectUrl: 'https://example.com/closed' },
  pages: [{ id: 1, pageUrl: 'https://example.com/offer', proxyUrl: null, eligible: true }],
  mailTimer: {},
}))
const { timeZone, mechanism } = campaigns[0] as (typeof campaigns)[number]
const at = '2026-06-01T11:00:00-04:00'
const story = {
  name: 'A story',
  campaign: { timeZone, mechanism },
  events: [
    { do: 'register', at },
    { do: 'extend', at, to: at },
  ],
}

const secret = 'hunter2'
const address = `ftp://me:${secret}@example.com`
/** Each fits nowhere, wherever it is put. */
const planted: unknown[] = [
  address,
  secret,
  `P${secret}`,
  [address],
  Array(400).fill(address),
  { [address]: 1 },
  { enabled: address, kind: address, every: address, action: address, do: address },
  { enabled: true, [`${secret} `]: address },
]

/** The document as often as it has places, each time with the value in another one of them. */
function* withValueAnywhere(document: unknown, value: unknown): Generator<unknown> {
  yield value
  if (Array.isArray(document)) {
    for (const [index, item] of document.entries())
      for (const changed of withValueAnywhere(item, value)) yield document.with(index, changed)
  } else if (typeof document === 'object' && document !== null) {
    for (const [name, item] of Object.entries(document))
      for (const changed of withValueAnywhere(item, value)) yield { ...document, [name]: changed }
    yield { ...document, [address]: value }
  }
}

function faultsOf(result: object): Fault[] {
  return 'faults' in result ? (result.faults as Fault[]) : []
}

test('no fault tells the value that is refused, wherever it stands', () => {
  const kinds = new Set<string>()
  const hold = (faults: Fault[]) => {
    for (const { path, message } of faults) {
      assert.ok(!`${path} ${message}`.includes(secret), `${path}: ${message}`)
      kinds.add(message)
    }
  }
  for (const value of planted) {
    for (const campaign of campaigns)
      for (const changed of withValueAnywhere(campaign, value)) hold(faultsOf(checkCampaign(changed)))
    for (const changed of withValueAnywhere(story, value)) hold(faultsOf(simulate(changed)))
  }
  const every = [
    'must be an object',
    'is unknown; known here are ',
    'must be a list',
    'must have at most ',
    'must be "HIDE" or ',
    'must be a whole number ',
    'must be true or false',
    'is missing',
    'must be an absolute https: ',
    'must be a time ',
    'must be an existing date ',
    'must be a period ',
    'must be an instant ',
    'must be the name of an IANA time zone ',
  ]
  const lacking = every.filter((beginning) => ![...kinds].some((kind) => kind.startsWith(beginning)))
  assert.deepEqual(lacking, [], 'no planted value was refused with these')
})
