// One deadline everywhere, and no way to move it by looking.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, applyCampaign, newEmail, openShop, type Shop } from '../support/api.ts'
import { decode, secondsShown } from '../support/countdown.ts'
import { amount } from '../support/faults.ts'
import { campaignFile, type Installation, installation, owner } from '../support/lastcall.ts'
import { several } from '../support/prepared.ts'
import { aPerson, ask, lookUp, open, random32, recipient } from '../support/recipient.ts'
import { serverClock } from '../support/server-clock.ts'
import { engine } from '../support/test-database.ts'
import { nextChangeOfOffset } from '../support/wall-clock.ts'
import { exchange, header, message } from '../support/wire.ts'

/** On PostgreSQL each is a question to it. */
const times = engine === 'sqlite' ? amount(100, 100_000) : amount(100, 20_000)

const usual = openShop()
const day = 86_400
const style = { width: 200, height: 50, pixelsPerPoint: 1 } as const

/** A server whose clock can be set; `setTo` takes an instant in seconds. */
async function withClock(place: Installation, campaign: string) {
  const { env, setTo } = serverClock(place)
  const me = await owner(place, campaign)
  const server = await place.serve(['--rate-limit', '1000000'], env)
  return { shop: { place, owner: me, server } as Shop, setTo }
}

const gateOf = ({ owner: { campaignId } }: Shop) => `/visitor/v1/campaigns/${campaignId}/gate`

/** What every way to ask says the deadline is, at one time of the server's clock; a failure names the way. */
async function holdOneDeadline(shop: Shop, email: string, deadline: number, now: number): Promise<void> {
  const known = await lookUp(shop, email)
  assert.equal(Date.parse(known.deadline) / 1000, deadline, 'look-up')
  const again = await recipient(shop, { email })
  assert.equal(Date.parse(again.deadline as string) / 1000, deadline, 'registered again')
  const followed = await open(shop, again.links[0] as string)
  const lc = new URL(followed.headers.location as string).searchParams.get('lc')
  const asked: Answer = await ask(shop, 'offer', { lc, visit: true })
  assert.equal(asked.body.deadline / 1000, deadline, 'widget')
  assert.equal(asked.body.state, now < deadline ? 'open' : 'expired')
  const gate = await open(shop, gateOf(shop), { headers: { 'Lastcall-Ref': again.ref } })
  assert.deepEqual([gate.status, gate.headers['lastcall-state']], now < deadline ? [204, 'open'] : [403, 'expired'])
  assert.equal(Date.parse(gate.headers['lastcall-deadline'] as string) / 1000, deadline, 'gate')
  for (const language of ['en', 'pl'] as const) {
    const { raw, headers } = await open(shop, again.image.replace('/en/', `/${language}/`))
    assert.equal(headers['x-timer-state'], now < deadline ? 'open' : 'expired')
    const left = Math.max(0, deadline - now)
    const shown = secondsShown(decode(raw).frames[0], left, { style, language }) ?? Number.NaN
    assert.ok(left - shown >= 0 && left - shown <= 2, `image: ${shown} for ${left}`)
  }
}

test('register, look up, open the image, follow the link, ask as the widget: one deadline, across a clock change', async (t) => {
  const mechanism = { startsOn: 'registration', deadline: { kind: 'daysAt', days: 3, time: '23:59' } }
  const { shop, setTo } = await withClock(installation(t), campaignFile({ mechanism, mailTimer: style }))
  const change = nextChangeOfOffset('Europe/Warsaw', Math.floor(Date.now() / 1000)) as number
  const registeredAt = change - day
  setTo(registeredAt)
  const email = newEmail()
  const made = await recipient(shop, { email })
  const deadline = Date.parse(made.deadline as string) / 1000
  const local = new Date(deadline * 1000).toLocaleTimeString('en-GB', { timeZone: 'Europe/Warsaw' })
  assert.equal(local, '23:59:00')
  for (const now of [registeredAt + 60, change - 30, change + 30, deadline - 300, deadline + 1, deadline + 9 * day]) {
    setTo(now)
    await holdOneDeadline(shop, email, deadline, now)
  }
})

test(`${times} times GET and HEAD of every address change no deadline and start nothing`, async () => {
  const mechanism = { startsOn: 'visit', deadline: { kind: 'after', period: 'P2D' } }
  const { id } = await applyCampaign(usual, { mechanism, anonymous: { enabled: true }, mailTimer: style })
  const shop = { ...usual, owner: { ...usual.owner, campaignId: id } }
  const [waiting, begun] = [await recipient(shop), await recipient(shop)]
  await ask(shop, 'offer', { lc: begun.ref, visit: true })
  const list = () => shop.place.json(['lead', 'list', '--campaign', String(shop.owner.campaignId)])
  const before = await list()
  assert.deepEqual(before.map(({ state }: { state: string }) => state).sort(), ['open', 'pending'])
  const offer = `/visitor/v1/campaigns/${shop.owner.campaignId}/offer`
  const paths = [waiting, begun].flatMap(({ links, image, ref }) => [
    ...links,
    image,
    image.replace('/en/', '/pl/'),
    `${offer}?lc=${ref}&visit=true`,
    `${gateOf(shop)}?lc=${ref}`,
  ])
  const all = [...paths, '/widget/v1.js', '/healthz', '/api/public/v1/openapi.json', `/go/1/${random32()}`]
  const requests = Array.from({ length: times }, (_, index) => ({
    path: all[index % all.length] as string,
    method: Math.floor(index / all.length) % 2 === 0 ? 'GET' : 'HEAD',
  }))
  await openAll(shop, requests)
  assert.deepEqual(await list(), before)
})

test(`${times} made-up refs: there is nothing at any of them`, async () => {
  const shop = usual
  const { links, image, ref } = await recipient(shop)
  const near = (index: number) => {
    // Some differ from a real one by a digit.
    const at = index % 32
    return (
      ref.slice(0, at) +
      ((Number.parseInt(ref[at] as string, 16) + 1 + (index % 15)) % 16).toString(16) +
      ref.slice(at + 1)
    )
  }
  const requests = Array.from({ length: times }, (_, index) => {
    const madeUp = index % 4 < 2 ? random32() : near(index)
    const address = [links[0] as string, image, links[0] as string, `${gateOf(shop)}?lc=${ref}`][index % 4] as string
    return { path: address.replace(ref, madeUp), method: 'GET' }
  })
  const statuses = await openAll(shop, requests)
  assert.deepEqual(statuses, { '404': times / 2, '200 unknown': times / 4, '401': times / 4 })
})

/** In pipelines, over eight connections at a time; how often each status came, with the state of images. */
async function openAll(
  { server }: Shop,
  requests: { path: string; method: string }[],
): Promise<Record<string, number>> {
  const seen: Record<string, number> = {}
  const pipelines = Array.from({ length: Math.ceil(requests.length / 50) }, (_, index) =>
    requests.slice(index * 50, index * 50 + 50),
  )
  await several(8, pipelines, async (pipeline) => {
    const texts = pipeline.map(({ method, path }, index) =>
      message(method, path, [
        `User-Agent: ${aPerson}`,
        ...(index === pipeline.length - 1 ? ['Connection: close'] : []),
      ]),
    )
    const methods = pipeline.map(({ method }) => method)
    const { answers } = await exchange(server.port, [texts.join('')], { methods, timeoutMs: 60_000 })
    assert.equal(answers.length, pipeline.length)
    for (const answer of answers) {
      const state = header(answer, 'x-timer-state')
      const outcome = `${answer.status}${state === undefined ? '' : ` ${state}`}`
      seen[outcome] = (seen[outcome] ?? 0) + 1
    }
  })
  assert.deepEqual(
    Object.keys(seen).filter((status) => /^5/.test(status)),
    [],
  )
  return seen
}
