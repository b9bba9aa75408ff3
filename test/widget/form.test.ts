// The form that registers an email, and what pages of their own display may call.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { longTest } from '../support/faults.ts'
import { sleepyMachine } from '../support/page-clock.ts'
import { eventually, offerPage, openStage, sees, shownSeconds } from '../support/widget-stage.ts'

const stage = openStage()

const form = `<form data-lastcall="form" action="/fallback">
  <label>Email <input type="email" name="email" required></label> <button>Send</button></form>`
const registrations = (campaignId: string) =>
  stage.service.questions.filter((one) => one.campaignId === campaignId && one.operation === 'leads')

test('an email makes a lead: thanks are said, the offer is shown, and the browser keeps whose it is', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const { page } = await stage.visitor(t)
  const address = stage.put({ campaigns: [id], body: form + offerPage })
  await page.goto(address)
  assert.equal(await page.getByRole('timer').count(), 0)
  const status = page.getByRole('status')
  await status.waitFor({ state: 'attached' })
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('button').click()
  await page.getByText('Thank you. You are registered.').waitFor()
  await page.getByRole('timer').waitFor()
  assert.equal(await status.innerText(), 'Thank you. You are registered.')
  assert.equal(await page.getByLabel('Email').inputValue(), '')
  assert.equal(await page.getByLabel('Email').getAttribute('aria-invalid'), 'false')
  await page.goto(address)
  await page.getByRole('timer').waitFor()
  assert.equal(stage.service.questions.at(-1)?.body.lc, registrations(id)[0]?.answer.lc)
})

longTest('if a lead signs up again on the open page, the page shows the offer that begins again', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 6, startsOn: 'visit', retries: true })
  const { page } = await stage.visitor(t)
  await page.goto(stage.put({ campaigns: [id], body: form + offerPage }))
  const send = async () => {
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByRole('button').click()
    await page.getByText('Thank you. You are registered.').waitFor()
    await page.getByRole('timer').waitFor()
  }
  await send()
  await sees(page, 'The offer is over')
  await send()
  await sees(page, 'Buy for half the price')
})

test('if a lead signs up again elsewhere, the open page shows the offer that begins again within the hour', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3, startsOn: 'visit', retries: true })
  const { page } = await stage.visitor(t, { script: sleepyMachine })
  const register = async (lc?: string) => {
    const body = JSON.stringify({ email: 'sam@example.com', lc })
    const answer = await fetch(`${stage.service.origin}/visitor/v1/campaigns/${id}/leads`, { method: 'POST', body })
    return ((await answer.json()) as { lc: string }).lc
  }
  const lc = await register()
  await page.goto(`${stage.put({ campaigns: [id], body: offerPage })}?lc=${lc}`)
  await sees(page, 'The offer is over')
  await register(lc)
  await page.evaluate(() => document.dispatchEvent(new CustomEvent('test:doze', { detail: 3_600_000 })))
  await page.getByRole('timer').waitFor()
  await sees(page, 'The offer is over')
  // Behind another tab the page learns of the next one, which begins when somebody sees it.
  await register(lc)
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { configurable: true, get: () => true })
    window.Lastcall?.consent()
  })
  await eventually(() => page.evaluate(() => window.Lastcall?.get()?.state), 'pending')
  await page.evaluate(() => {
    Reflect.deleteProperty(document, 'hidden')
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await page.getByRole('timer').waitFor()
})

test('a refused email is said to be so, where readers look for it', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const visitor = await stage.visitor(t)
  const { page } = visitor
  // HTML takes it, the API does not: it is not ASCII.
  const hint = '<p id="hint">Only once a week</p>'
  const body = form.replace('type="email" name="email"', 'name="email" aria-describedby="hint"') + hint
  await page.goto(stage.put({ campaigns: [id], body, lang: 'pl' }))
  await page.getByLabel('Email').fill('zażółć@example.com')
  await page.getByRole('button').click()
  await page.getByText('Podaj poprawny adres e-mail.').waitFor()
  const input = page.getByLabel('Email')
  assert.equal(await input.getAttribute('aria-invalid'), 'true')
  assert.equal(await input.evaluate((one) => one === document.activeElement), true)
  const described = async () => {
    const [hint, answer, ...more] = (await input.getAttribute('aria-describedby'))?.split(' ') ?? []
    assert.deepEqual([hint, ...more], ['hint'])
    assert.equal(await page.locator(`[id="${answer}"]`).innerText(), 'Podaj poprawny adres e-mail.')
  }
  await described()
  assert.equal(await input.inputValue(), 'zażółć@example.com')
  await page.getByRole('button').click()
  await eventually(() => registrations(id).length, 2)
  await page.locator('form:not([aria-busy])').waitFor()
  await described()
  assert.ok(visitor.errors.every((error) => error.includes('422')))
  visitor.errors.length = 0
})

test('in a copy of a form, as page builders make them, readers find its own answer', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const visitor = await stage.visitor(t)
  const { page } = visitor
  await page.goto(stage.put({ campaigns: [id], body: form.replace('type="email"', '') }))
  await page.locator('[role=status]').waitFor({ state: 'attached' })
  const copy = page.locator('form').last()
  await page.locator('form').evaluate((one) => one.after(one.cloneNode(true)))
  await copy.getByLabel('Email').fill('zażółć@example.com')
  await copy.getByRole('button').click()
  const description = 'Please enter a valid email address.'
  await copy.getByRole('textbox', { description }).waitFor({ timeout: 5_000 })
  visitor.errors.length = 0
})

async function send(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button').click()
}

test('each way to fail has its words', async (t) => {
  const draft = await stage.service.campaign({ endsInSeconds: 3600, isDraft: true })
  const visitor = await stage.visitor(t)
  const { page, context } = visitor
  await page.goto(stage.put({ campaigns: [draft], body: form }))
  await send(page, 'ada@example.com')
  await page.getByText('This offer is not available at the moment.').waitFor()
  await context.route('**/leads', (route) => route.abort())
  await send(page, 'ada@example.com')
  await page.getByText('That did not work. Please try again in a moment.').waitFor()
  visitor.errors.length = 0
})

longTest('the page can have words of its own for who registers too often', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const visitor = await stage.visitor(t)
  const { page } = visitor
  const body = form.replace('<form', '<form data-busy="Calm down"')
  await page.goto(stage.put({ campaigns: [id], body }))
  for (let tries = 0; tries < 6; tries++) {
    await send(page, `ada${tries}@example.com`)
    await eventually(() => registrations(id).length, tries + 1)
    await page.locator('form:not([aria-busy])').waitFor()
  }
  await page.getByText('Calm down').waitFor()
  visitor.errors.length = 0
})

test('a double click registers once, what the page prevents not at all, and a copy of a form that sends can send', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const { page } = await stage.visitor(t)
  await page.goto(stage.put({ campaigns: [id], body: form }))
  await page.getByRole('status').waitFor({ state: 'attached' })
  await page.getByLabel('Email').fill('ada@example.com')
  // As for a box that has to be ticked first.
  await page.evaluate(() => {
    document.addEventListener('submit', (event) => event.preventDefault(), { once: true })
  })
  // The widget comes behind it with its next second.
  await sleep(1_500)
  await page.getByRole('button').click()
  await eventually(() => page.locator('form').getAttribute('aria-busy'), null)
  assert.equal(registrations(id).length, 0)
  // Turbo, which sends a form itself, makes its listener the last when the event begins.
  await page.evaluate(() => {
    const send = (event: Event) => {
      if (event.defaultPrevented) return
      event.preventDefault()
      event.stopImmediatePropagation()
    }
    const comeLast = () => {
      document.removeEventListener('submit', send)
      document.addEventListener('submit', send)
    }
    document.addEventListener('submit', comeLast, true)
  })
  await page.getByRole('button').dblclick()
  await page.getByText('Thank you').waitFor()
  assert.equal(registrations(id).length, 1)
  // Turbo shows a copy of the page to who comes back: here one from while the form was sending.
  await page.getByLabel('Email').fill('sam@example.com')
  await page.locator('form').evaluate((one) => {
    one.requestSubmit()
    document.body.replaceWith(document.body.cloneNode(true))
  })
  await page.locator('form:not([aria-busy])').waitFor()
  await page.getByRole('button').click()
  await page.getByText('Thank you').waitFor()
  assert.equal(registrations(id).length, 3)
})

test('a robot that fills every field gets an answer and makes no lead', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const { page } = await stage.visitor(t)
  await page.goto(stage.put({ campaigns: [id], body: form + offerPage }))
  const trap = page.locator('[name=lastcall-website]')
  await trap.waitFor({ state: 'attached' })
  const box = await trap.boundingBox()
  assert.ok(box && box.y + box.height < 0, 'people see the trap')
  assert.equal(await trap.getAttribute('tabindex'), '-1')
  assert.doesNotMatch(await page.locator('form').ariaSnapshot(), /textbox.*\n.*textbox/)
  await page.evaluate(() => {
    for (const input of document.querySelectorAll('input')) input.value = 'robot@example.com'
  })
  await page.getByRole('button').click()
  await page.getByText('Thank you').waitFor()
  assert.equal(registrations(id)[0]?.body.website, 'robot@example.com')
  assert.equal(registrations(id)[0]?.answer.lc, null)
  assert.equal(await page.getByRole('timer').count(), 0)
})

longTest('on a page that runs from right to left the form leaves nothing to scroll to', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const { page } = await stage.visitor(t, { viewport: { width: 400, height: 600 } })
  await page.goto(stage.put({ campaigns: [id], body: `<div dir="rtl">${form}</div>`, lang: 'ar" dir="rtl' }))
  await page.locator('[name=lastcall-website]').waitFor({ state: 'attached' })
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 400)
})

longTest('a form whose inside the page writes again gets its trap and its message again', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const { page } = await stage.visitor(t)
  await page.goto(stage.put({ campaigns: [id], body: form }))
  await page.locator('[name=lastcall-website]').waitFor({ state: 'attached' })
  await page.locator('form').evaluate((one) => {
    one.innerHTML = '<label>Email <input type="email" name="email"></label><button>Again</button>'
  })
  await page.locator('[name=lastcall-website]').waitFor({ state: 'attached' })
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('button').click()
  await page.getByRole('status').getByText('Thank you').waitFor()
})

longTest("a page's own field for a website is no trap", async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const { page } = await stage.visitor(t)
  const body = form.replace('<button>', '<label>Your site <input name="website"></label> <button>')
  await page.goto(stage.put({ campaigns: [id], body: body + offerPage }))
  await page.locator('[name=lastcall-website]').waitFor({ state: 'attached' })
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByLabel('Your site').fill('https://ada.example')
  await page.getByRole('button').click()
  await page.getByRole('timer').waitFor()
  assert.equal(registrations(id)[0]?.body.website, '')
})

longTest('a button that is called reset does not make a registration look failed', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const { page } = await stage.visitor(t)
  const body = form.replace('<button>', '<button type="reset" name="reset">Clear</button> <button>')
  await page.goto(stage.put({ campaigns: [id], body: body + offerPage }))
  await page.locator('[name=lastcall-website]').waitFor({ state: 'attached' })
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('button').last().click()
  await page.getByRole('timer').waitFor()
  assert.match((await page.getByRole('status').textContent()) ?? '', /^Thank you/)
  assert.equal(await page.getByLabel('Email').inputValue(), '')
})

longTest('fields that are called as what a form has stop neither the countdown nor the form', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const { page } = await stage.visitor(t)
  const taken = 'children id action submit elements dataset closest contains appendChild querySelector getAttribute'
  const fields = taken.split(' ').map((name) => `<input type="hidden" name="${name}">`)
  const named = `<form data-campaign="${id}" data-thanks="Done" `
  const email = 'name="email" value="ada@example.com"'
  const body = form
    .replace('<form ', named)
    .replace('name="email"', email)
    .replace('<button>', `${fields.join('')}$&`)
  await page.goto(stage.put({ campaigns: [id], body: body + offerPage }))
  // By plain selectors, since Playwright's own questions about a form stumble over such fields.
  const timer = page.locator('[data-lastcall=countdown]:has(b)')
  await timer.waitFor()
  const before = await timer.innerText()
  await page.evaluate(() => document.querySelector('button')?.click())
  await eventually(() => page.locator('[data-lastcall=message]').innerText(), 'Done')
  assert.match(registrations(id)[0]?.answer.lc ?? '', /^[0-9a-f]{32}$/)
  await eventually(async () => (await timer.innerText()) !== before, true)
})

longTest('an email field that belongs to the form by its attribute may stand outside', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const { page } = await stage.visitor(t)
  const body = `<input type="email" aria-label="Newsletter" value="other@example.com">
    <form data-lastcall="form" id="sign-up"></form>
    <label>Email <input name="email" form="sign-up"></label> <button form="sign-up">Send</button>`
  await page.goto(stage.put({ campaigns: [id], body: body + offerPage }))
  await page.locator('[name=lastcall-website]').waitFor({ state: 'attached' })
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('button').click()
  await page.getByRole('timer').waitFor()
  assert.equal(registrations(id)[0]?.body.email, 'ada@example.com')
})

longTest('a page that is written again after it was loaded keeps its form and its countdown', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const { page } = await stage.visitor(t)
  await page.goto(stage.put({ campaigns: [id], body: form }))
  await page.locator('[name=lastcall-website]').waitFor({ state: 'attached' })
  await page.evaluate((html) => {
    document.open()
    document.write(html)
    document.close()
  }, `<!doctype html><html lang="en"><title>Again</title><body>${form}${offerPage}`)
  await page.locator('[name=lastcall-website]').waitFor({ state: 'attached' })
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('button').click()
  await page.getByRole('timer').waitFor()
  assert.equal(await page.getByText('The offer is over').isVisible(), false)
})

longTest(
  'a form that is added later has its trap before anybody sends it, without an offer and without a service',
  async (t) => {
    const id = await stage.service.campaign({ endsInSeconds: 3600 })
    const visitor = await stage.visitor(t)
    for (const isDown of [false, true]) {
      if (isDown) await visitor.context.route('**/visitor/**', (route) => route.abort())
      const { page } = visitor
      const search = `?lc=${'0'.repeat(32)}`
      await page.goto(`${stage.put({ campaigns: [id], body: '<main></main>' })}${search}`)
      await page.waitForFunction(() => window.Lastcall)
      if (!isDown) await eventually(() => page.evaluate(() => window.Lastcall?.get()?.state), 'none')
      await page.evaluate((html) => {
        const main = document.querySelector('main') as HTMLElement
        main.append(document.createRange().createContextualFragment(html))
      }, form)
      await page.locator('[name=lastcall-website]').waitFor({ state: 'attached', timeout: 3000 })
    }
    visitor.errors.length = 0
  },
)

/** The link of docs/gate.md from the page with the form to the page behind the gate. */
const gateDocument = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'gate.md'), 'utf8')
const [, linkOn = ''] = /^ *```html\n(.*?)^ *```$/ms.exec(gateDocument) ?? []

test("an email that has a lead already shows the visitor's own offer, not the lead's, and leads on without its ref", async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const body = form + linkOn + offerPage
  const send = async (page: (typeof first)['page']) => {
    await page.goto(stage.put({ campaigns: [id], body }))
    await page.getByRole('timer').waitFor()
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByRole('button').click()
    await page.getByText('Thank you').waitFor()
  }
  const first = await stage.visitor(t)
  await send(first.page)
  const second = await stage.visitor(t)
  await send(second.page)
  const [made, again] = registrations(id).map(({ answer }) => answer)
  assert.match(made?.lc ?? '', /^[0-9a-f]{32}$/)
  assert.equal(again?.lc, null)
  await new Promise((resolve) => setTimeout(resolve, 500))
  assert.equal(stage.service.questions.at(-1)?.body.lc, undefined)
  const gated = 'https://shop.example.com/autumn-offer'
  for (const [{ page }, query] of [
    [first, `?lc=${made?.lc}`],
    [second, ''],
  ] as const) {
    await page.route(`${gated}**`, (route) => route.fulfill({ contentType: 'text/html', body: 'Gated' }))
    await page.getByText('To the offer').click()
    await page.getByText('Gated').waitFor()
    assert.equal(page.url(), gated + query)
  }
})

longTest('an anonymous attempt goes on for the lead that it becomes', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, anonymous: true })
  const { page } = await stage.visitor(t)
  await page.goto(stage.put({ campaigns: [id], body: form + offerPage }))
  await page.getByRole('timer').waitFor()
  const before = stage.service.questions.at(-1)?.answer.deadline
  await page.evaluate(() => window.Lastcall?.register('ada@example.com'))
  assert.equal(await page.evaluate(() => window.Lastcall?.get()?.deadline), before)
})

longTest('if a visit starts the offer, it starts for a visitor who registers on the page', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600, startsOn: 'visit' })
  const { page } = await stage.visitor(t)
  await page.goto(stage.put({ campaigns: [id], body: form + offerPage }))
  await page.getByLabel('Email').fill('ada@example.com')
  await page.getByRole('button').click()
  await page.getByRole('timer').waitFor()
  assert.ok((await shownSeconds(page)) > 3500)
})

test('pages with a display of their own hear of start and end, also if they ask late', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 6, startsOn: 'visit' })
  const lc = await stage.service.lead(id)
  const { page } = await stage.visitor(t)
  const body = `<script>
    window.heard = []
    for (const name of ['ready', 'start', 'expire'])
      document.addEventListener('lastcall:' + name, ({ detail }) => heard.push([name, detail?.campaign, detail?.state]))
  </script>${offerPage}`
  await page.goto(`${stage.put({ campaigns: [id], body, attributes: 'data-bar="off"' })}?lc=${lc}`)
  await page.getByRole('timer').waitFor()
  const view = await page.evaluate((campaign) => {
    const found = window.Lastcall?.get(Number(campaign))
    return { ...found, remaining: found?.remaining() }
  }, id)
  const { deadline } = stage.service.questions.at(-1)?.answer ?? {}
  assert.deepEqual({ ...view, remaining: 0 }, { campaign: id, state: 'open', opensAt: null, deadline, remaining: 0 })
  assert.ok((view.remaining ?? 0) > 0 && (view.remaining ?? 0) <= 6000)
  await sees(page, 'The offer is over')
  assert.deepEqual(await page.evaluate(() => (window as any).heard), [
    ['ready', undefined, undefined],
    ['start', id, 'open'],
    ['expire', id, 'expired'],
  ])
  assert.equal(await page.evaluate(() => window.Lastcall?.get('999')), null)
  const wrong = () => window.Lastcall?.register('ada@example.com', '999').catch(({ code }) => code)
  assert.equal(await page.evaluate(wrong), 'CAMPAIGN_NOT_FOUND')
  const left = await page.evaluate(() => {
    let heard: number | null | undefined
    window.Lastcall?.on('expire', (late) => {
      heard = late.remaining()
    })
    return heard
  })
  assert.equal(left, 0)
})

longTest('register tells what was refused by the code of the API', async (t) => {
  const id = await stage.service.campaign({ endsInSeconds: 3600 })
  const visitor = await stage.visitor(t)
  await visitor.page.goto(stage.put({ campaigns: [id] }))
  await visitor.page.waitForFunction(() => window.Lastcall)
  const code = await visitor.page.evaluate(() => window.Lastcall?.register('no address').catch((error) => error.code))
  assert.equal(code, 'VALIDATION_ERROR')
  visitor.errors.length = 0
})
