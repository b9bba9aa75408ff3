// The countdown is that of the service's clock, whatever the visitor's machine says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { longTest, someOf } from '../support/faults.ts'
import { sleepyMachine, wrongClock } from '../support/page-clock.ts'
import { eventually, inSeconds, offerPage, openStage, sees, shownSeconds } from '../support/widget-stage.ts'

const stage = openStage()
const day = 86_400_000

/** Notes each text of the countdown with the true time at which it appeared. */
const record = `{
  const now = Date.now.bind(Date)
  const seen = (document.seenTexts = [])
  document.addEventListener('lastcall:expire', () => (document.endedAt = now()))
  new MutationObserver(() => {
    const text = document.querySelector('[role=timer]')?.innerText ?? ''
    if (text && text !== seen.at(-1)?.text) seen.push({ at: now(), text })
  }).observe(document, { subtree: true, childList: true, characterData: true })
}`

/** By how much the deadlines that the page showed, second by second, differ from the true one. */
async function errorsOf(page: Page, deadline: number): Promise<number[]> {
  const texts: { at: number; text: string }[] = await page.evaluate(() => (document as any).seenTexts)
  // The first is shown in the midst of its second; those that follow begin theirs.
  return texts.slice(1).map(({ at, text }) => at + inSeconds(text) * 1000 - deadline)
}

/** None by a second, and most by much less: a busy machine of tests may be late with a text or two. */
function holdToDeadline(errors: number[]): void {
  const sizes = errors.map(Math.abs).sort((a, b) => a - b)
  assert.ok((sizes.at(-1) as number) < 1000, `${errors}`)
  assert.ok((sizes[Math.floor((sizes.length - 1) / 2)] as number) < 300, `${errors}`)
}

/** The countdown was right at some moment while it was looked at. */
async function holdToTimeLeft(page: Page, deadline: number): Promise<void> {
  const left = () => (deadline - stage.service.now()) / 1000
  const most = left() + 1
  const shown = await shownSeconds(page)
  assert.ok(shown < most + 0.5 && shown > left() - 0.5, `${shown}, with ${left()} to ${most} left`)
}

const clocks = [
  ['a day ahead', day],
  ['a day behind', -day],
  ['right', 0],
] as const
for (const [name, differsMs] of someOf(clocks, 1))
  test(`a visitor's clock that is ${name}: the deadline shown is the API's to a fraction of a second`, async (t) => {
    const id = await stage.service.campaign({ endsInSeconds: 8, startsOn: 'visit' })
    const lc = await stage.service.lead(id)
    const { page } = await stage.visitor(t, { script: `${record};${wrongClock(differsMs)}` })
    await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
    await page.getByRole('timer').waitFor()
    const { deadline } = stage.service.questions.at(-1)?.answer ?? {}
    await sees(page, 'The offer is over')
    const late = (await page.evaluate(() => (document as any).endedAt)) - (deadline as number)
    assert.ok(Math.abs(late) < 1000, `${late} ms after the deadline`)
    const errors = await errorsOf(page, deadline as number)
    assert.ok(errors.length >= 4)
    holdToDeadline(errors)
  })

test('the service and the visitor differ by years: the countdown is right, and the deadline in words too', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3 * 86_400 + 60 })
  stage.service.shift(400 * 86_400)
  t.after(() => stage.service.shift(-400 * 86_400))
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t, { timezoneId: 'Europe/Warsaw' })
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await page.getByRole('timer').waitFor()
  const deadline = stage.service.questions.at(-1)?.answer.deadline as number
  await holdToTimeLeft(page, deadline)
  const words = await page.locator('[data-lastcall=deadline]').innerText()
  const expected = new Date(deadline).toLocaleDateString('en', {
    timeZone: 'Europe/Warsaw',
    dateStyle: 'long',
  })
  assert.ok(words.startsWith(expected), `${words} for ${expected}`)
  // The end of a whole minute is said without them.
  const seconds = new Date(deadline).toISOString().slice(17, 19)
  assert.ok(seconds === '00' || words.includes(`:${seconds}`), `no seconds: ${words}`)
})

longTest(
  'a clock that is set while the page is open changes nothing, and the service is asked once more',
  async (t) => {
    const id = await stage.service.campaign({ endsInSeconds: 3600 })
    const lc = await stage.service.lead(id)
    const { page } = await stage.visitor(t, { script: sleepyMachine })
    await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
    await page.getByRole('timer').waitFor()
    const asked = stage.service.questions.length
    for (const step of [day, -2 * day]) {
      await page.evaluate((detail) => document.dispatchEvent(new CustomEvent('test:sleep', { detail })), step)
      await eventually(() => stage.service.questions.length, asked + (step > 0 ? 1 : 2))
    }
    await new Promise((resolve) => setTimeout(resolve, 2500))
    assert.equal(stage.service.questions.length, asked + 2)
    assert.deepEqual(
      stage.service.questions.slice(-2).map(({ body }) => body.visit),
      [false, false],
    )
    const deadline = stage.service.questions.at(-1)?.answer.deadline as number
    await holdToTimeLeft(page, deadline)
    await sees(page, 'Buy for half the price')
  },
)

test('asleep with the service down: the offer stays, and ends once the service answers again', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 600 })
  const lc = await stage.service.lead(id)
  const visitor = await stage.visitor(t, { script: sleepyMachine })
  const { page, context } = visitor
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await page.getByRole('timer').waitFor()
  await context.route('**/visitor/**', (route) => route.abort())
  stage.service.shift(3600)
  t.after(() => stage.service.shift(-3600))
  await page.evaluate(() => document.dispatchEvent(new CustomEvent('test:sleep', { detail: 3_600_000 })))
  await eventually(() => visitor.errors.length > 0, true)
  await sees(page, 'Buy for half the price')
  await context.unroute('**/visitor/**')
  await sees(page, 'The offer is over')
  visitor.errors.length = 0
  const asked = stage.service.questions.length
  await page.evaluate(() => document.dispatchEvent(new CustomEvent('test:sleep', { detail: 3_600_000 })))
  await eventually(() => stage.service.questions.length, asked + 1)
})

test('a slow way to the service and back shifts the deadline by less than a second', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 60 })
  const lc = await stage.service.lead(id)
  const { page, context } = await stage.visitor(t, { script: record })
  let asked = 0
  // The first answer comes by a detour of three seconds, all of it on the way back.
  await context.route('**/visitor/**', async (route) => {
    const response = await route.fetch()
    if (asked++ === 0) await new Promise((resolve) => setTimeout(resolve, 3000))
    await route.fulfill({ response })
  })
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await page.getByRole('timer').waitFor()
  await eventually(() => asked, 2)
  await new Promise((resolve) => setTimeout(resolve, 2500))
  const deadline = stage.service.questions.at(-1)?.answer.deadline as number
  const errors = (await errorsOf(page, deadline)).slice(-2)
  assert.equal(errors.length, 2)
  holdToDeadline(errors)
  assert.deepEqual(
    stage.service.questions.slice(-2).map(({ body }) => body.visit),
    [true, false],
  )
})

longTest('where every answer is slow, the fastest of three sets the clock', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 60 })
  const lc = await stage.service.lead(id)
  const { page, context } = await stage.visitor(t, { script: record })
  const delays = [1400, 3000, 3000]
  let answered = 0
  await context.route('**/visitor/**', async (route) => {
    const response = await route.fetch()
    await new Promise((resolve) => setTimeout(resolve, delays.shift() ?? 0))
    await route.fulfill({ response })
    answered += 1
  })
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await eventually(() => answered, 3, 15_000)
  await new Promise((resolve) => setTimeout(resolve, 2500))
  assert.equal(answered, 3)
  const deadline = stage.service.questions.at(-1)?.answer.deadline as number
  const errors = (await errorsOf(page, deadline)).slice(-2)
  for (const error of errors) assert.ok(Math.abs(error) < 1000, `${errors}`)
})

longTest('the time that the service itself takes shifts nothing, and need not be tried again', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 60 })
  const lc = await stage.service.lead(id)
  const { page, context } = await stage.visitor(t, { script: record })
  const before = stage.service.questions.length
  await context.route('**/visitor/**', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 3000))
    const response = await route.fetch()
    await route.fulfill({ response, json: { ...(await response.json()), spentMs: 3000 } })
  })
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await page.getByRole('timer').waitFor()
  await new Promise((resolve) => setTimeout(resolve, 3500))
  assert.equal(stage.service.questions.length, before + 1)
  const deadline = stage.service.questions.at(-1)?.answer.deadline as number
  holdToDeadline(await errorsOf(page, deadline))
})

longTest(
  'after slow answers alone the service is asked again within the minute, and then the clock is right',
  async (t) => {
    const id = await stage.service.campaign({ endsInSeconds: 600 })
    const lc = await stage.service.lead(id)
    const { page, context } = await stage.visitor(t, { script: sleepyMachine })
    let isSlow = true
    let answered = 0
    await context.route('**/visitor/**', async (route) => {
      const response = await route.fetch()
      if (isSlow) await new Promise((resolve) => setTimeout(resolve, 2600))
      await route.fulfill({ response })
      answered += 1
    })
    await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
    await eventually(() => answered, 3, 15_000)
    isSlow = false
    stage.service.shift(31)
    t.after(() => stage.service.shift(-31))
    await page.evaluate(() => document.dispatchEvent(new CustomEvent('test:doze', { detail: 31_000 })))
    await eventually(() => answered, 4)
    const left = () => page.evaluate(() => window.Lastcall?.get()?.remaining() ?? 0)
    const deadline = stage.service.questions.at(-1)?.answer.deadline as number
    await eventually(async () => {
      const most = deadline - stage.service.now()
      const said = await left()
      return said <= most + 100 && said >= deadline - stage.service.now() - 100
    }, true)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    assert.equal(answered, 4)
  },
)

longTest('when the network returns, the service is asked at once', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 600 })
  const visitor = await stage.visitor(t, { script: sleepyMachine })
  const { page, context } = visitor
  await page.addInitScript(() => {
    Math.random = () => 1
  })
  await context.route('**/visitor/**', (route) => route.abort('internetdisconnected'))
  const address = stage.put({ campaigns: [id], body: offerPage })
  await page.goto(`${address}?lc=${await stage.service.lead(id)}`)
  await eventually(() => visitor.errors.length, 1)
  await context.unroute('**/visitor/**')
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await page.getByRole('timer').waitFor({ timeout: 2000 })

  const asked = stage.service.questions.length
  visitor.errors.length = 0
  await context.route('**/visitor/**', (route) => route.abort('internetdisconnected'))
  await page.evaluate(() => document.dispatchEvent(new CustomEvent('test:doze', { detail: 3_601_000 })))
  await eventually(() => visitor.errors.length, 1)
  await context.unroute('**/visitor/**')
  await page.evaluate(() => dispatchEvent(new Event('online')))
  await eventually(() => stage.service.questions.length, asked + 1, 2000)
  visitor.errors.length = 0
})

longTest('a machine that falls asleep while it waits for the answer takes no old one for new', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 600 })
  const lc = await stage.service.lead(id)
  const { page, context } = await stage.visitor(t, { script: sleepyMachine })
  let answered = 0
  await context.route('**/visitor/**', async (route) => {
    const response = await route.fetch()
    if (answered++ === 0) {
      stage.service.shift(3600)
      await page.evaluate(() => document.dispatchEvent(new CustomEvent('test:sleep', { detail: 3_600_000 })))
    }
    await route.fulfill({ response })
  })
  t.after(() => stage.service.shift(-3600))
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await sees(page, 'The offer is over')
})

test('a deadline that is moved meanwhile is shown after the hour at which the service is asked anyway', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 4 * 3600 })
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t, { script: sleepyMachine })
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await page.getByRole('timer').waitFor()
  const told: string[] = []
  page.on('console', (message) => told.push(message.text()))
  await page.evaluate(() => window.Lastcall?.on('start', ({ deadline }) => console.log(deadline)))
  const answered = () => String(stage.service.questions.at(-1)?.answer.deadline)
  const deadlines = [answered()]
  stage.service.shift(3601)
  t.after(() => stage.service.shift(-3601))
  await stage.service.move(id, lc, { endsInSeconds: 9 * 3600 })
  await page.evaluate(() => document.dispatchEvent(new CustomEvent('test:doze', { detail: 3_601_000 })))
  await eventually(async () => (await shownSeconds(page)) > 8 * 3600, true)
  assert.deepEqual(told, [...deadlines, answered()])
})
