// The countdown image, as the contract's table has it: always 200 and a GIF.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { templateKey } from '../../src/countdown/templates.ts'
import { type Answer, applyCampaign, eventually, openShop } from '../support/api.ts'
import { decode, secondsShown } from '../support/countdown.ts'
import { amount, someOf } from '../support/faults.ts'
import { lookUp, open, random32, recipient, setDeadline } from '../support/recipient.ts'
import { message, wire } from '../support/wire.ts'

const shop = openShop()

/** The state, where everything else about the answer is right. */
function stateOf({ status, headers, raw, method }: Answer): string | undefined {
  assert.equal(status, 200)
  assert.equal(headers['content-type'], 'image/gif')
  assert.equal(headers['cache-control'], 'no-store, no-cache, must-revalidate, max-age=0')
  assert.equal(headers.pragma, 'no-cache')
  assert.equal(headers.expires, '0')
  assert.equal(headers['x-content-type-options'], 'nosniff')
  assert.equal(headers['cross-origin-resource-policy'], 'cross-origin')
  assert.equal(headers['x-robots-tag'], 'noindex')
  assert.equal(headers['accept-ranges'], 'none')
  assert.equal(headers['referrer-policy'], 'no-referrer')
  for (const name of ['etag', 'last-modified', 'vary', 'set-cookie', 'content-encoding', 'location'])
    assert.equal(headers[name], undefined, name)
  if (method !== 'HEAD') assert.equal(headers['content-length'], String(raw.length))
  return headers['x-timer-state']
}

const usualSize = [1200, 280]
const small = { width: 200, height: 50, pixelsPerPoint: 1 } as const

function holdNothing(answer: Answer, state: string, size: readonly number[] = [600, 1]): void {
  assert.equal(stateOf(answer), state)
  const { width, height, frames } = decode(answer.raw)
  assert.deepEqual([width, height, frames.length], [...size, 1])
  const isTransparent = frames[0]?.every((value, index) => index % 4 !== 3 || value === 0)
  assert.ok(isTransparent, 'it is transparent')
  assert.ok(answer.raw.length < 100, `${answer.raw.length} bytes`)
}

/** That the image counts to the deadline, given what time it was around the answer. */
function holdCountdown(answer: Answer, deadline: string, reading = {}): void {
  const { frames, delays } = decode(answer.raw)
  const leftAt = (ms: number) => Math.ceil((Date.parse(deadline) - ms) / 1000)
  const shown = secondsShown(frames[0], leftAt(answer.sentAt), reading) ?? Number.NaN
  assert.ok(
    shown <= leftAt(answer.sentAt) && shown >= leftAt(answer.receivedAt),
    `${shown} for ${leftAt(answer.sentAt)}`,
  )
  assert.equal(frames.length, 60)
  assert.equal(secondsShown(frames[59], shown - 59, reading), shown - 59)
  // The first frame lasts until the second ends, and each of the others a second.
  const [first = 0, second = 0, ...others] = delays
  assert.ok(first >= 10 && first <= 100 && first + second <= 200, `${delays}`)
  assert.deepEqual([...new Set(others)], [100])
}

const made = (mechanism: object, more = {}) => applyCampaign(shop, { mechanism, ...more })
const after = (period: string) => ({ startsOn: 'registration', deadline: { kind: 'after', period } })

test('an open offer: the time left to the deadline that the API states, in the language of the path', async () => {
  const { id } = await made(after('P2D'), { mailTimer: small })
  for (const language of ['en', 'pl'] as const) {
    const { image, deadline } = await recipient(shop, { campaignId: id, language })
    assert.match(image, new RegExp(`^/timer/${language}/[0-9a-f]{32}\\.gif$`))
    const answer = await open(shop, `${image}?m=${random32()}&at=0`)
    assert.equal(stateOf(answer), 'open')
    holdCountdown(answer, deadline as string, { style: small, language })
  }
})

test('the path says the language; words are drawn in a font that has their letters', async () => {
  const style = { ...small, font: 'lato' } as const
  const { id } = await made(after('P2D'), { mailTimer: style })
  const { image, deadline } = await recipient(shop, { campaignId: id })
  for (const language of someOf(['uk', 'de'] as const, 1)) {
    const answer = await open(shop, image.replace('/en/', `/${language}/`))
    assert.equal(stateOf(answer), 'open')
    // The first one waits for its template.
    holdCountdown(answer, deadline as string, { style, language, around: 30 })
  }
})

test("the campaign's style is drawn, one or two pixels to a point, and an edit of it shows", async () => {
  const style = { font: 'oswald', width: 200, height: 50, box: '#cc0000', pixelsPerPoint: 2 } as const
  const campaign = await made(after('P2D'), { mailTimer: style })
  const { image, deadline } = await recipient(shop, { campaignId: campaign.id })
  const answer = await open(shop, image)
  const { width, height } = decode(answer.raw)
  assert.deepEqual([width, height], [400, 100])
  holdCountdown(answer, deadline as string, { style })
  const edited = { ...campaign, mailTimer: { ...small, width: 240, showLabels: false } }
  await applyCampaign(shop, edited)
  const isNew = ({ raw }: Answer) => decode(raw).width === 240
  holdCountdown(await eventually(1, () => open(shop, image), isNew), deadline as string, {
    style: edited.mailTimer,
  })
})

test('scheduled: the time left to the deadline, not to the opening', async () => {
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16)
  const fixed = { kind: 'fixed', opensAt: inDays(2), at: inDays(4) }
  const { id } = await made({ startsOn: 'registration', deadline: fixed }, { mailTimer: small })
  const { image, deadline } = await recipient(shop, { campaignId: id })
  const answer = await open(shop, image)
  assert.equal(stateOf(answer), 'scheduled')
  holdCountdown(answer, deadline as string, { style: small })
})

test('pending: the time that a visit now would give, however often it is opened, and nothing begins', async () => {
  const visit = { startsOn: 'visit', deadline: { kind: 'after', period: 'PT26H' } }
  const { id } = await made(visit, { mailTimer: small })
  const { image, email } = await recipient(shop, { campaignId: id })
  for (let times = 0; times < 2; times++) {
    const answer = await open(shop, image)
    assert.equal(stateOf(answer), 'pending')
    assert.equal(secondsShown(decode(answer.raw).frames[0], 26 * 3600, { style: small, around: 1 }), 26 * 3600)
  }
  assert.equal((await lookUp(shop, email, id)).deadline, null)
})

test('expired with a text or nothing: that, and still an answer of the state', async () => {
  const ended = { startsOn: 'registration', deadline: { kind: 'fixed', at: '2020-01-01T00:00' } }
  for (const whenOver of [{ show: 'nothing' }, { show: 'text', text: 'Zamknięte' }] as const) {
    const { id } = await made(ended, { mailTimer: { ...small, whenOver } })
    const { image } = await recipient(shop, { campaignId: id })
    const answer = await open(shop, image)
    if (whenOver.show === 'nothing') holdNothing(answer, 'expired', [200, 50])
    else {
      assert.equal(stateOf(answer), 'expired')
      const { frames } = decode(answer.raw)
      assert.deepEqual([frames.length, secondsShown(frames[0], 0, { style: small })], [1, undefined])
    }
  }
})

test('expired: zeros, once and for all', async () => {
  const { id } = await made({ startsOn: 'registration', deadline: { kind: 'fixed', at: '2020-01-01T00:00' } })
  const { image } = await recipient(shop, { campaignId: id })
  const answer = await open(shop, image)
  assert.equal(stateOf(answer), 'expired')
  const { frames } = decode(answer.raw)
  assert.deepEqual([frames.length, secondsShown(frames[0], 0)], [1, 0])
})

test('it ends with the deadline where that comes within the minute', async () => {
  const { id } = await made(after('P2D'), { mailTimer: small })
  const { image, email } = await recipient(shop, { campaignId: id })
  const at = new Date(Date.now() + 20_000).toISOString().replace(/\.\d+/, '')
  await setDeadline(shop, email, Date.parse(at), id)
  const { frames } = decode((await open(shop, image)).raw)
  assert.ok(frames.length > 5 && frames.length <= 21, `${frames.length}`)
  assert.equal(secondsShown(frames.at(-1), 0, { style: small }), 0)
})

test('with nothing to count the image is transparent and in the ratio of the style, and a header says why', async () => {
  const none = await made({ startsOn: 'registration', deadline: { kind: 'none' } })
  const { image } = await recipient(shop, { campaignId: none.id })
  holdNothing(await open(shop, image), 'no-deadline', usualSize)
  for (const path of [
    `/timer/en/${random32()}.gif`,
    image.replace('/en/', '/xx/'),
    image.replace('.gif', '.png'),
    '/timer/',
  ])
    holdNothing(await open(shop, path), 'unknown')

  const campaign = await made(after('P2D'), { mailTimer: small })
  const lead = await recipient(shop, { campaignId: campaign.id })
  const account = String(shop.owner.accountId)
  const turn = async (state: string, args: string[], input?: string) => {
    await shop.place.json(args, input)
    const answer = await eventually(
      1,
      () => open(shop, lead.image),
      (one) => stateOf(one) === state,
    )
    if (state !== 'open') holdNothing(answer, state, state === 'no-timer' ? undefined : [200, 50])
  }
  const apply = (state: string, changes: object) => {
    const args = ['campaign', 'apply', '--account', account, '-']
    return turn(state, args, JSON.stringify({ ...campaign, ...changes }))
  }
  await apply('no-timer', { mailTimer: null })
  await apply('draft', { isDraft: true })
  await apply('open', {})
  await turn('tools-unavailable', ['account', 'set', account, '--countdown-tools', 'false'])
  await turn('suspended', ['account', 'set', account, '--suspended', 'true'])
  await turn('suspended', ['account', 'set', account, '--countdown-tools', 'true'])
  await turn('open', ['account', 'set', account, '--suspended', 'false'])
  await shop.place.json(['lead', 'erase', '--campaign', String(campaign.id), '--email', lead.email])
  holdNothing(await open(shop, lead.image), 'unknown')
})

test('HEAD: the headers of GET, the length too, and no body', async () => {
  const { image } = await recipient(shop)
  for (const path of [image, `/timer/pl/${random32()}.gif`]) {
    const [get, head] = [await open(shop, path), await open(shop, path, { method: 'HEAD' })]
    assert.equal(head.raw.length, 0)
    assert.equal(stateOf(head), stateOf(get))
    const lengths = [head, get].map(({ headers }) => Number(headers['content-length']))
    // A second later the picture may be some bytes longer.
    assert.ok(Math.abs((lengths[0] as number) - (lengths[1] as number)) < 200, `${lengths}`)
  }
})

test('applying a campaign builds its images: the first who opens one does not wait for that', async () => {
  const tookMs: number[] = []
  // One of several: on a busy machine any answer may be late.
  while (tookMs.length < 5 && !tookMs.some((ms) => ms < 300)) {
    const style = { ...small, background: `#${random32().slice(0, 6)}` as const }
    const { id } = await made(after('P2D'), { mailTimer: style })
    const key = templateKey(style, 'en')
    assert.ok((await shop.place.arrange((store) => store.templates.read(key))) !== undefined, 'it is built')
    const { image } = await recipient(shop, { campaignId: id })
    const answer = await open(shop, image)
    tookMs.push(answer.receivedAt - answer.sentAt)
    assert.equal(stateOf(answer), 'open')
  }
  assert.ok(Math.min(...tookMs) < 300, `${tookMs} ms`)
})

test('an address that cannot be decoded is an image too, and other methods find nothing', async () => {
  for (const path of ['/timer/en/%zz.gif', '/timer/%ff']) holdNothing(await open(shop, path), 'unknown')
  const { image } = await recipient(shop)
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS'])
    assert.equal((await open(shop, image, { method })).status, 404, method)
})

test('an image to a slow reader is whole and its own, whatever others open meanwhile', async () => {
  const { id } = await made(after('P9D'), {
    mailTimer: { width: 320, height: 100, pixelsPerPoint: 2, preset: 'rings' },
  })
  const { image } = await recipient(shop, { campaignId: id })
  const { image: otherImage } = await recipient(shop)
  // As many as a connection may ask for at once: more bytes than the system takes, so the last wait in the server.
  const count = 99
  const line = await wire(shop.server.port)
  line.socket.pause()
  const requests = Array.from({ length: count }, (_, index) =>
    message('GET', image, index === count - 1 ? ['Connection: close'] : []),
  )
  const sent = line.send(requests.join(''))
  await sleep(1_000)
  for (let times = 0; times < amount(20, 50); times++) assert.equal(stateOf(await open(shop, otherImage)), 'open')
  line.socket.resume()
  await sent
  const { answers } = await line.untilEnded([], 60_000)
  assert.equal(answers.length, count)
  for (const { body } of answers) assert.deepEqual([body.readUInt16LE(6), body.readUInt16LE(8)], [640, 200])
  assert.equal(decode((answers.at(-1) as { body: Buffer }).body).frames.length, 60)
})
