// Webhooks in the panel, in a real browser, with a server that is told.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { tester } from '../support/actor.ts'
import { isFull, longTest } from '../support/faults.ts'
import { campaignFile } from '../support/lastcall.ts'
import { comesTrue } from '../support/prepared.ts'
import { answering, openReceiver, type Received } from '../support/receiver.ts'
import { assertAccessible, assertFits, assertUntroubled, goTo, sharedStage, widthsByTurns } from './stage.ts'

const stage = await sharedStage()
const receiver = await openReceiver({ after })

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

async function choose(page: Page, name: string, action: string): Promise<void> {
  await button(page, `Actions on “${name}”`).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** The windows of tests want less motion. */
async function assertWaitsInTheMiddle(page: Page): Promise<void> {
  const sign = page.locator('.mantine-Button-loader')
  await sign.waitFor()
  const middle = (box: { y: number; height: number } | null) => box && Math.round(box.y + box.height / 2)
  const around = page.locator('button', { has: sign })
  assert.equal(middle(await sign.boundingBox()), middle(await around.boundingBox()))
}

/** The secret that the dialog shows this once. */
async function takeSecret(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Copy the secret now' })
  const secret = await dialog.getByRole('region', { name: 'The secret' }).innerText()
  await assertAccessible(page)
  await assertFits(page)
  await dialog.getByRole('checkbox').check()
  await button(page, 'Done').click()
  await dialog.waitFor({ state: 'hidden' })
  return secret
}

async function assertFaultsAreSaid(page: Page, dialog: Locator): Promise<void> {
  // Nothing is wrong yet for somebody who is about to choose.
  await dialog.getByLabel('Only these', { exact: true }).first().check()
  await dialog.locator('[aria-label="Only these"]').waitFor({ state: 'attached' })
  assert.equal(await dialog.getByText('Choose at least one.').count(), 0)
  await dialog.getByLabel('All campaigns, future ones too').check()
  await dialog.getByLabel('Address').fill('https://10.0.0.1/')
  await button(page, 'New webhook').last().click()
  await dialog.getByText('Use an https: address on the public internet').waitFor()
  await dialog.getByLabel('Address').fill('https://user:secret@example.com/hook')
  await button(page, 'New webhook').last().click()
  await dialog.getByText('Leave out the user name and password before the host').waitFor()
  await dialog.getByLabel('Address').fill('https://hooks.example.com/a\u200b')
  await button(page, 'New webhook').last().click()
  await dialog.getByText('a character in this address that nobody sees (U+200B)').waitFor()
  // It stands above what is in sight where the button is.
  await dialog.getByLabel('Address').and(page.locator(':focus')).waitFor()
  await assertAccessible(page)
  await assertFits(page)
  await dialog.getByLabel('Address').fill(receiver.origin)
  const batch = dialog.getByLabel('Events in one request')
  await batch.fill('101')
  await batch.press('Enter')
  await dialog.getByText('Enter a whole number from 1 to 100.').waitFor()
  await batch.fill('1')
  // It would hear of nothing, and nobody would know why.
  await dialog.getByLabel('Only these', { exact: true }).first().check()
  await button(page, 'New webhook').last().click()
  // What was chosen stands there, the field itself has no size.
  await dialog.locator('[aria-label="Only these"]:focus').waitFor({ state: 'attached' })
  await dialog.getByText('Choose at least one.').waitFor()
  await assertAccessible(page)
  await dialog.getByLabel('All campaigns, future ones too').check()
}

/** Of what was sent: by outcome, after the lead is erased, and how it is verified. */
async function assertLogIsFiltered(page: Page, row: Locator, campaignId: number): Promise<void> {
  await page.getByLabel('Outcome').selectOption('Not delivered')
  await page.waitForURL(/outcome=failed/)
  await page.getByText('400', { exact: true }).waitFor()
  assert.equal(await row.count(), 0)
  await stage.place.json(['lead', 'erase', '--campaign', String(campaignId), '--email', 'ada@example.com'])
  await page.getByLabel('Outcome').selectOption('Delivered')
  await page.getByText('erased', { exact: true }).first().waitFor()
  await page.getByText('How your server verifies a request').click()
  await assertAccessible(page)
  await assertFits(page)
  await page.getByText('def is_from_lastcall').waitFor()
}

/** As some three days after the server first refused it. */
async function giveUp(accountId: number, { data, timestamp }: Received): Promise<void> {
  await stage.place.arrange(async (store) => {
    const [endpoint] = await store.events.listEndpoints(accountId)
    const lead = await store.leads.findByRef(data.ref)
    assert.ok(endpoint && lead)
    // What was just sent is taken off once its answer is there.
    const waits = async () => (await store.events.waiting(endpoint, Math.floor(Date.now() / 1_000))).waiting
    assert.ok(await comesTrue(10_000, async () => (await waits()) === 0))
    const dueAt = Date.parse(timestamp) / 1_000
    const of = { endpointId: endpoint.id, leadId: lead.id, kind: 'lead.registered', dueAt, detail: 0 } as const
    const tried = { tries: 10, refused: 10, isAskedFor: false, nextAt: null, lastAt: dueAt }
    await store.events.settle(endpoint, { done: [], failed: [{ ...of, ...tried }], looks: [] })
  })
}

async function resumeWithNewSecret(page: Page, secret: string): Promise<void> {
  await choose(page, 'Other', 'Resume')
  await page.getByLabel('From now on').check()
  await button(page, 'Resume').click()
  await page.getByText('On', { exact: true }).waitFor()
  await choose(page, 'Other', 'New secret')
  await button(page, 'Make the new secret').click()
  assert.notEqual(await takeSecret(page), secret)
  await choose(page, 'Other', 'Backfill')
  await button(page, 'Send all leads').click()
  await page.getByText('The leads of the campaign are being sent.').waitFor()
}

for (const width of widthsByTurns())
  test(`a webhook is made with its secret shown once, tested, told, changed, paused, and deleted: ${width}`, async () => {
    const who = await stage.person(`owner-${width}`)
    const account = ['--account', String(who.accountId)]
    const { id } = await stage.place.json(['campaign', 'apply', ...account, '-'], campaignFile({ name: 'Course' }))
    const path = `/${width}`
    const page = await stage.open(who, { path: '/integrations/webhooks', width })
    await page.getByText('A webhook tells your server').waitFor()
    await assertAccessible(page)
    await button(page, 'New webhook').click()
    const dialog = page.getByRole('dialog', { name: 'New webhook' })
    await dialog.getByLabel('Name').fill('Shop')
    if (isFull) await assertFaultsAreSaid(page, dialog)
    await dialog.getByLabel('Address').fill(receiver.origin + path)
    await button(page, 'New webhook').last().click()
    const secret = await takeSecret(page)
    receiver.secrets.set(path, secret)
    assert.ok(!(await page.content()).includes(secret))
    await assertAccessible(page)
    await assertFits(page)

    // Beneath the name: beside a long one there is no room for it on a phone.
    const name = await page.getByRole('link', { name: 'Shop' }).boundingBox()
    const host = await page.getByText(new URL(receiver.origin).host).boundingBox()
    assert.ok(name && host && host.y >= name.y + name.height - 2)
    await page.getByRole('link', { name: 'Shop' }).click()
    await button(page, 'Actions on “Shop”').and(page.locator(':focus')).waitFor()
    await page.getByText('Campaigns: All campaigns, future ones too').waitFor()
    await button(page, 'Send a test').click()
    await page.getByText(/^Delivered: 204 after \d+ ms\.$/).waitFor()
    await stage.place.json(['lead', 'import', '--campaign', String(id), '-'], 'email\nada@example.com\n')
    const came = await receiver.wait(path, 2)
    assert.ok(came.every(({ isVerified }) => isVerified))
    const seen = Promise.withResolvers<void>()
    receiver.answers.set(path, (came, response) => seen.promise.then(() => answering(400)(came, response)))
    await button(page, 'Send a test').click()
    await assertWaitsInTheMiddle(page)
    seen.resolve()
    await page.getByText(/^Not delivered after \d+ ms: the server answered 400\.$/).waitFor()
    receiver.answers.delete(path)

    // The log is written behind what was sent; the email is that of the lead as it is.
    const row = page.getByRole('row').filter({ hasText: 'ada@example.com' })
    const log = `/panel/api/webhooks/${new URL(page.url()).searchParams.get('webhook')}/deliveries`
    const isWritten = async () => (await (await page.request.get(log)).json()).entries.length === 3
    assert.ok(await comesTrue(10_000, isWritten, 200))
    await page.reload()
    await page.getByText('400', { exact: true }).waitFor()
    assert.equal(await row.count(), 1)
    await assertAccessible(page)
    await assertFits(page)
    await row.getByRole('button', { name: /^Details/ }).click()
    await page
      .getByRole('dialog', { name: 'Details' })
      .getByText(came[1]?.id as string)
      .waitFor()
    await assertAccessible(page)
    await button(page, 'Send again').click()
    assert.equal((await receiver.wait(path, 4)).at(-1)?.id, came[1]?.id)
    await giveUp(who.accountId, came[1] as Received)
    await page.getByText('Given up: 1', { exact: true }).waitFor()
    await assertFits(page)
    await button(page, 'Send all again').click()
    await page.getByText('Sent again, with the same ids: 1.').waitFor()
    assert.equal((await receiver.wait(path, 5)).at(-1)?.id, came[1]?.id)
    await button(page, 'Actions on “Shop”').and(page.locator(':focus')).waitFor()
    if (isFull) await assertLogIsFiltered(page, row, id)

    await choose(page, 'Shop', 'Edit')
    await page.getByRole('dialog').getByLabel('Name').fill('Other')
    await page.getByRole('dialog').getByLabel('The end is near').uncheck()
    await assertAccessible(page)
    await button(page, 'Save').click()
    await page.getByRole('heading', { name: 'Other' }).waitFor()
    await choose(page, 'Other', 'Pause')
    await page.getByText('Paused', { exact: true }).waitFor()
    if (isFull) await resumeWithNewSecret(page, secret)
    await page.getByRole('link', { name: 'All webhooks' }).click()
    await page.getByRole('link', { name: 'Other' }).and(page.locator(':focus')).click()
    await choose(page, 'Other', 'Delete')
    await button(page, 'Delete for good').click()
    await page.getByText('A webhook tells your server').waitFor()
    assertUntroubled(page)
  })

longTest('an edit of a webhook changes nothing else, and puts back nothing that a colleague changed', async () => {
  const who = await stage.person('two-edit')
  const of = ['--account', String(who.accountId)]
  const ofTimes = ['--kinds', 'lead.registered', '--lead-times', 'PT3H']
  const given = ['--name', 'Till', ...ofTimes, '--url', 'https://example.com/before']
  const { id } = await stage.place.json(['webhook', 'create', ...of, ...given])
  const page = await stage.open(who, { path: '/integrations/webhooks' })
  await choose(page, 'Till', 'Edit')
  await page.getByRole('dialog').getByLabel('Name').fill('Shop')
  await stage.place.json(['webhook', 'set', String(id), ...of, '--url', 'https://example.com/theirs'])
  await button(page, 'Save').click()
  await page.getByRole('link', { name: 'Shop' }).waitFor()
  const [{ url, leadTimes }] = await stage.place.json(['webhook', 'list', ...of])
  assert.deepEqual([url, leadTimes], ['https://example.com/theirs', ['PT3H']])
  const nothing = await page.request.patch(`/panel/api/webhooks/${id}`, { data: {} })
  assert.match(await nothing.text(), /must be an object with at least one property/)
})

longTest('the overview says whose server fails, and which webhook is paused because of it', async () => {
  const who = await stage.person('failing')
  const file = campaignFile()
  const campaign = await stage.place.json(['campaign', 'apply', '--account', String(who.accountId), '-'], file)
  // Until then the first steps stand there.
  await stage.place.json(['lead', 'import', '--campaign', String(campaign.id), '-'], 'email\nada@example.com\n')
  const given = ['--kinds', 'lead.registered', '--url', 'https://example.com/']
  const name = `Till ${'in the old town '.repeat(9)}`
  const { id } = await stage.place.json([
    ...['webhook', 'create', '--account', String(who.accountId), '--name', name, ...given],
  ])
  const page = await stage.open(who, { path: '/' })
  await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Till' }).count(), 0)
  const said = async (text: RegExp) => {
    await page.goto('/')
    await page.getByText(text).waitFor()
    await page.getByRole('link', { name: 'Till' }).waitFor()
  }
  await stage.place.arrange(async (store) => {
    const endpoint = await store.events.findEndpoint(who.accountId, id)
    assert.ok(endpoint)
    await store.events.setHealth(endpoint, { failingSince: 1, failures: 5, nextTryAt: 4_102_444_800 }, 1)
  })
  await said(/is a webhook whose server accepts nothing/)
  await assertWaitIsSaid(page)
  await stage.place.arrange((store) => store.events.pauseEndpoint({ accountId: who.accountId, id }, 'failing', tester))
  // With the last live campaign the first steps come again, and hide none of it.
  await stage.place.arrange((store) => store.configuration.archiveCampaign(who.accountId, campaign.id, true, tester))
  await said(/is a webhook that was paused/)
  await page.getByRole('heading', { name: 'Your first live campaign' }).waitFor()
  await assertAccessible(page)
  // What happens meanwhile is noted, unlike while a user has paused it.
  await page.getByRole('link', { name: 'Till' }).click()
  await page.waitForURL(`**/integrations/webhooks?webhook=${id}`)
  await page.getByRole('button', { name: /^Actions on/ }).click()
  await page.getByRole('menuitem', { name: 'Resume' }).click()
  await page.getByText('What happened before and during the pause waits for up to 30 days.').waitFor()
  assertUntroubled(page)
})

async function assertWaitIsSaid(page: Page): Promise<void> {
  await goTo(page, 'Integrations')
  await page.getByRole('tab', { name: 'Webhooks' }).click()
  const state = page.getByText('Waiting for the server')
  assert.ok(await state.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth), 'cut off')
  await page.getByText(/^The server has taken nothing since .* 1970, .*\. Next try: .* 2100, .*\.$/).waitFor()
  await assertFits(page)
}

longTest('the result of one webhook’s test is not shown for another to which the browser goes back', async () => {
  const who = await stage.person('of-two')
  for (const name of ['Till', 'Crm']) {
    const hook = ['--name', name, '--kinds', 'lead.registered', '--url', 'https://example.com/']
    await stage.place.json(['webhook', 'create', '--account', String(who.accountId), ...hook])
  }
  const page = await stage.open(who, { path: '/integrations/webhooks' })
  const result = { delivered: true, status: 204, cause: null, milliseconds: 3 }
  await page.route('**/test', (route) => route.fulfill({ json: result }))
  await page.getByRole('link', { name: 'Till' }).click()
  await page.getByRole('heading', { name: 'Till' }).waitFor()
  await page.getByRole('link', { name: 'All webhooks' }).click()
  await page.getByRole('link', { name: 'Crm' }).click()
  await button(page, 'Send a test').click()
  const said = page.getByText(/after \d+ ms/)
  await said.waitFor()
  await page.evaluate(() => history.go(-2))
  await page.getByRole('heading', { name: 'Till' }).waitFor()
  assert.equal(await said.count(), 0)
})

longTest(
  'of a paused webhook what is sent again or backfilled is said to wait, and without a published campaign there is nothing to backfill',
  async () => {
    const who = await stage.person('paused')
    const account = ['--account', String(who.accountId)]
    const apply = (isDraft: boolean) =>
      stage.place.json(['campaign', 'apply', ...account, '-'], campaignFile({ name: 'Course', isDraft }))
    const draft = await apply(true)
    const campaign = await apply(false)
    const page = await stage.open(who, { path: '/integrations/webhooks' })
    const make = async (name: string, campaignIds: number[] | null) => {
      const data = { name, campaignIds, kinds: ['lead.registered'], url: `${receiver.origin}/paused` }
      return (await page.request.post('/panel/api/webhooks', { data })).json()
    }
    const { id } = await make('Till', null)
    await make('Crm', [draft.id])
    await page.reload()
    await choose(page, 'Crm', 'Backfill')
    await page.getByText('None of its campaigns is published').waitFor()
    assert.ok(await button(page, 'Send all leads').isDisabled())
    await page.keyboard.press('Escape')

    await stage.place.json(['lead', 'import', '--campaign', String(campaign.id), '-'], 'email\nada@example.com\n')
    const [told] = await receiver.wait('/paused', 1)
    await giveUp(who.accountId, told as Received)
    await stage.place.arrange((store) => store.events.pauseEndpoint({ accountId: who.accountId, id }, 'user', tester))
    await page.reload()
    await choose(page, 'Till', 'Backfill')
    await button(page, 'Send all leads').click()
    await page.getByText('The leads of the campaign are sent once the webhook is resumed.').waitFor()
    await page.getByRole('link', { name: 'Till' }).click()
    await button(page, 'Send all again').click()
    await page.getByText('once the webhook is resumed where it stopped: 1.').waitFor()
    await page.getByRole('button', { name: /^Details of/ }).click()
    await button(page, 'Send again').click()
    await page.getByText('It is sent again, with the same id, once the webhook is resumed where it stopped').waitFor()
  },
)

longTest('a lead time that the API has set is shown in words, and can be ticked again', async () => {
  const who = await stage.person('lead-times')
  const given = ['--kinds', 'lead.deadline_approaching', '--lead-times', 'PT1H30M', '--url', 'https://example.com/']
  await stage.place.json(['webhook', 'create', '--account', String(who.accountId), '--name', 'Till', ...given])
  const page = await stage.open(who, { path: '/integrations/webhooks' })
  await choose(page, 'Till', 'Edit')
  const leadTime = page.getByLabel('1 hour, 30 minutes')
  assert.ok(await leadTime.isChecked())
  await leadTime.uncheck()
  await leadTime.check({ timeout: 5_000 })
})

longTest('a campaign that was deleted while the form was open is named at its field', async () => {
  const who = await stage.person('deleted-meanwhile')
  const account = ['--account', String(who.accountId)]
  const { id } = await stage.place.json(['campaign', 'apply', ...account, '-'], campaignFile({ name: 'Course' }))
  const page = await stage.open(who, { path: '/integrations/webhooks' })
  await button(page, 'New webhook').first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Only these', { exact: true }).first().check()
  assert.equal(await dialog.getByText('The newest 1,000 campaigns').count(), 0)
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  // As where there are more than 1,000.
  await page.route('**/panel/api/webhooks', async (route) => {
    if (route.request().method() !== 'GET') return route.continue()
    const answer = await route.fetch()
    await route.fulfill({ response: answer, json: { ...(await answer.json()), hasOlder: true } })
  })
  await page.reload()
  await button(page, 'New webhook').first().click()
  await dialog.getByLabel('Name').fill('Till')
  await dialog.getByLabel('Address').fill(receiver.origin)
  await dialog.getByLabel('Only these', { exact: true }).first().check()
  await dialog.locator('[aria-label="Only these"]').press('ArrowDown')
  await page.getByRole('option', { name: 'Course' }).click()
  await page.keyboard.press('Escape')
  await dialog.getByText('The newest 1,000 campaigns can be chosen here').waitFor()
  await stage.place.json(['campaign', 'delete', String(id), '--yes'])
  await button(page, 'New webhook').last().click()
  await dialog.getByText('One of these campaigns is not there any more').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  // What tells of all leads of a campaign offers the same ones.
  await stage.place.json(['campaign', 'apply', ...account, '-'], campaignFile({ name: 'Seminar' }))
  const given = ['--name', 'Till', '--url', 'https://example.com/', '--kinds', 'lead.registered']
  await stage.place.json(['webhook', 'create', ...account, ...given])
  await page.reload()
  await page.getByRole('button', { name: /^Actions on/ }).click()
  await page.getByRole('menuitem', { name: 'Backfill' }).click()
  await dialog.getByText('The newest 1,000 campaigns can be chosen here').waitFor()
})

longTest(
  'which campaigns a webhook is told about is seen, also of two with one name and of one that is gone',
  async () => {
    const who = await stage.person('whose-campaigns')
    const account = ['--account', String(who.accountId)]
    const made = () => stage.place.json(['campaign', 'apply', ...account, '-'], campaignFile({ name: 'Course' }))
    const [{ id }, { id: other }] = [await made(), await made()]
    const given = ['--kinds', 'lead.expired', '--campaigns', String(id), '--url', 'https://example.com/']
    const webhook = await stage.place.json(['webhook', 'create', ...account, '--name', 'Till', ...given])
    const page = await stage.open(who, { path: `/integrations/webhooks?webhook=${webhook.id}` })
    await page.getByText(`What it is told: An offer is overCampaigns: Course (Id ${id})`).waitFor()
    await stage.place.json(['campaign', 'delete', String(id), '--yes'])
    await page.getByText('Campaigns: none of those that were chosen is there any more').waitFor()
    await assertAccessible(page)
    await assertFits(page)
    await choose(page, 'Till', 'Edit')
    await page.getByRole('dialog').getByText(`deleted (Id ${id})`).waitFor()
    await page.getByRole('dialog').locator('[aria-label="Only these"]').press('ArrowDown')
    await page.getByRole('option', { name: 'Course', exact: true }).waitFor()
    assert.notEqual(other, id)
  },
)

longTest('why a webhook could not be saved is in sight, below the long form on a phone too', async () => {
  const who = await stage.person('unsaved')
  const given = ['--name', 'Till', '--kinds', 'lead.registered', '--url', 'https://example.com/']
  await stage.place.json(['webhook', 'create', '--account', String(who.accountId), ...given])
  const page = await stage.open(who, { path: '/integrations/webhooks', width: 'phone' })
  await choose(page, 'Till', 'Edit')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('Shop')
  await page.context().setOffline(true)
  await button(page, 'Save').click()
  const said = dialog.getByRole('alert')
  await said.waitFor()
  const isSeen = async () => {
    const [inner, outer] = [await said.boundingBox(), await dialog.boundingBox()]
    return inner !== null && outer !== null && inner.y + inner.height < outer.y + outer.height + 1
  }
  assert.ok(await comesTrue(2_000, isSeen, 50))
})
