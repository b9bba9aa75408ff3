// The reference of the API in the panel: with this installation's address, in both languages, for the own account.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { polish } from '../../panel/src/screens/integrations/reference/polish.ts'
import { readErrorBody, readHeaders, readOperations } from '../../panel/src/screens/integrations/reference/reading.ts'
import { words } from '../../panel/src/screens/integrations/reference/words.ts'
import { errorStatus, messageOf } from '../../src/core/errors.ts'
import { warnings } from '../../src/core/offer.ts'
import { operations } from '../../src/core/operations.ts'
import { snippetLanguages } from '../../src/http/panel/snippets.ts'
import { description } from '../../src/http/public/description.ts'
import { longTest } from '../support/faults.ts'
import { campaignFile } from '../support/lastcall.ts'
import {
  assertAccessible,
  assertFits,
  assertUntroubled,
  type Person,
  sharedStage,
  widthsByTurns,
  widthsInLanguages,
} from './stage.ts'

const stage = await sharedStage()
const screen = '/integrations/reference'
const names = { curl: 'cURL', node: 'Node', python: 'Python', php: 'PHP' } as const

let owner: Person
let stranger: Person
let key: string
/** Of the API, as the service names itself. */
let baseUrl: string
const campaignIds: number[] = []

before(async () => {
  const { place, person, server } = stage
  baseUrl = `http://localhost:${server.port}/api/public/v1`
  owner = await person('owner')
  stranger = await person('stranger')
  const account = String(owner.accountId)
  for (const changes of [{ name: 'Draft', isDraft: true }, { name: 'Autumn' }, { name: 'Winter' }]) {
    const made = await place.json(['campaign', 'apply', '--account', account, '-'], campaignFile(changes))
    campaignIds.push(made.id)
  }
  key = (await place.json(['key', 'create', '--account', account, '--name', 'server'])).key
})

longTest('if there are more campaigns than can be listed, the page says so', async () => {
  const page = await stage.open(owner, { path: screen })
  const said = page.getByText('The first 3 campaigns can be chosen here; for another one')
  await page.getByText('Its number is in every example').waitFor()
  assert.equal(await said.count(), 0)
  await page.route('**/panel/api/campaigns', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ json: { ...(await answer.json()), nextAfterId: 2 } })
  })
  await page.reload()
  await said.waitFor()
})

const described = description('https://offers.example.com/api/public/v1')

/** Every text of the description that the page says. */
function textsShown(): string[] {
  const texts = readOperations(described).flatMap(({ summary, description, parameters, body, answers }) => [
    ...[summary, description, body?.description ?? ''],
    ...parameters.map((one) => one.description),
    ...(body?.fields ?? []).map((one) => one.description),
    ...answers.flatMap((answer) => [answer.description, ...answer.fields.map((one) => one.description)]),
  ])
  const error = readErrorBody(described).map((one) => one.description)
  const headers = readHeaders(described).map((one) => one.description)
  const { description: input = '' } = described.components.schemas.LeadInput as { description?: string }
  return [...new Set([...texts, ...error, ...headers, input])].filter((text) => text !== '')
}

test('every operation, property, answer and header is told, and told in Polish', () => {
  const read = readOperations(described)
  assert.deepEqual(
    read.map(({ name }) => name),
    [...operations],
  )
  for (const { name, summary, description, parameters, body, answers } of read) {
    assert.ok(summary && description, name)
    assert.ok(answers.length > 0, name)
    const fields = [...parameters, ...(body?.fields ?? []), ...answers.flatMap((answer) => answer.fields)]
    for (const field of fields) assert.ok(field.description, `${name}: ${field.name}`)
    for (const answer of answers) {
      const example = JSON.parse(answer.example)
      const above = answer.fields.filter((field) => !/[[.]/.test(field.name))
      assert.deepEqual(above.map((field) => field.name).sort(), Object.keys(example).sort())
    }
  }
  assert.deepEqual(Object.keys(polish).sort(), textsShown().sort(), 'the Polish words are in polish.ts of this screen')
  for (const [english, translated] of Object.entries(polish)) {
    assert.notEqual(translated, english)
    // what is code in one language is code in the other
    for (const [code] of english.matchAll(/`[^`]+`/g)) assert.ok(translated.includes(code), code)
  }
})

test('every error code of every operation, and every warning, has its words in both languages', () => {
  const told = readOperations(described).flatMap(({ errors }) => errors)
  for (const { status, code } of told) assert.equal(Number(status), errorStatus[code])
  for (const language of ['en', 'pl'] as const) {
    assert.deepEqual(Object.keys(words[language].codes), Object.keys(errorStatus))
    assert.deepEqual(Object.keys(words[language].warningTexts), [...warnings])
    for (const [code, { means, next }] of Object.entries(words[language].codes)) assert.ok(means && next, code)
  }
  for (const code of Object.keys(errorStatus) as (keyof typeof errorStatus)[]) {
    assert.notEqual(words.en.codes[code].means, words.pl.codes[code].means)
    assert.notEqual(words.en.codes[code].next, words.pl.codes[code].next)
  }
})

async function chooseLanguage(page: Page, name: string): Promise<void> {
  await page.getByRole('radiogroup', { name: 'Language of the examples' }).getByText(name, { exact: true }).click()
}

async function openAll(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 3 }).first().waitFor()
  for (;;) {
    const closed = page.locator('.mantine-Accordion-control[aria-expanded=false]')
    if ((await closed.count()) === 0) break
    await closed.first().click()
  }
  await page.waitForTimeout(300)
}

for (const { width, language } of widthsInLanguages()) {
  longTest(`${width}, ${language}: the page tells all there is, fits, and is accessible`, async () => {
    const scheme = language === 'pl' ? 'dark' : 'light'
    const page = await stage.open(owner, { width, language, scheme, path: screen })
    await openAll(page)
    await assertAccessible(page)
    await assertFits(page)
    const shown = await page.locator('main').innerText()
    for (const code of Object.keys(errorStatus)) {
      assert.ok(shown.split('\n').includes(code), code)
    }
    for (const name of ['RateLimit-Remaining', 'Retry-After', ...warnings]) assert.ok(shown.includes(name), name)
    const told = (text: string) => shown.includes(text.replaceAll('`', ''))
    for (const text of textsShown()) {
      const inPolish = polish[text] as string
      assert.ok(told(language === 'pl' ? inPolish : text), text)
      if (language === 'pl' && inPolish !== text) assert.ok(!told(text), text)
    }
    for (const message of Object.values(messageOf)) assert.ok(!shown.includes(message), message)
    assert.match(shown, language === 'pl' ? /120 żądań w każdej minucie/ : /120 requests in each UTC minute/)
    assertUntroubled(page)
  })
}

longTest('the examples have the own address and a campaign of the account to choose, in four languages', async () => {
  const [draft, autumn, winter] = campaignIds
  const page = await stage.open(owner, { path: screen })
  const campaign = page.getByRole('combobox', { name: 'Campaign in the examples' })
  await campaign.waitFor()
  assert.equal(await campaign.inputValue(), `${autumn} · Autumn`)
  const example = (language: string) =>
    page.getByRole('region', { name: `Register an email in a published campaign: example (${language})` })
  const base = `${baseUrl}/campaigns`
  for (const language of snippetLanguages) {
    await chooseLanguage(page, names[language])
    const text = await example(names[language]).innerText()
    assert.ok(text.includes(`${base}/${autumn}/leads`), text)
    assert.match(text, /LASTCALL_KEY/)
  }

  await chooseLanguage(page, 'cURL')
  await campaign.click()
  await page.getByRole('option', { name: `${winter} · Winter` }).click()
  await page.getByText(`${base}/${winter}/leads`, { exact: false }).first().waitFor()
  assert.equal(await page.getByText('This campaign is a draft').count(), 0)
  const copy = example('cURL').locator('xpath=..').getByRole('button', { name: 'Copy' })
  await copy.click()
  const copied = await page.evaluate(() => navigator.clipboard.readText())
  assert.equal(copied, await example('cURL').innerText())
  assert.match(copied, /^curl .*--data '/s)

  await campaign.click()
  await page.getByRole('option', { name: `${draft} · Draft (draft)` }).click()
  await page.getByText('This campaign is a draft').waitFor()
  assert.ok((await example('cURL').innerText()).includes(`${base}/${draft}/leads`))
  assertUntroubled(page)
})

async function downloaded(page: Page, name: string): Promise<any> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: `Download: ${name}` }).click(),
  ])
  assert.equal(file.suggestedFilename(), name)
  return JSON.parse(readFileSync(await file.path(), 'utf8'))
}

for (const width of widthsByTurns()) {
  longTest(`${width}: the description and the collection come as files, with the own address and no key`, async () => {
    const page = await stage.open(owner, { width, path: screen })
    const copy = await downloaded(page, 'lastcall-openapi.json')
    assert.deepEqual(copy, await stage.place.json(['openapi', '--server', baseUrl]))
    await page.getByText(`/campaigns/${campaignIds[1]}/leads'`).first().waitFor()
    const { variable, item } = await downloaded(page, 'lastcall-collection.json')
    assert.deepEqual(
      variable.map(({ key, value }: { key: string; value: string }) => [key, value]),
      [
        ['baseUrl', baseUrl],
        ['key', ''],
        ['campaignId', String(campaignIds[1])],
      ],
    )
    assert.equal(item.length, operations.length)
    assertUntroubled(page)
  })
}

longTest('what is copied for Node registers a lead', async () => {
  const page = await stage.open(owner, { path: screen })
  await chooseLanguage(page, 'Node')
  const program = await page
    .getByRole('region', { name: 'Register an email in a published campaign: example (Node)' })
    .innerText()
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module'], {
    input: program,
    env: { LASTCALL_KEY: key },
    encoding: 'utf8',
  })
  assert.match(stdout, /^201 \{/, stderr)
})

longTest('without a campaign it says what to do, and still tells the operations', async () => {
  const page = await stage.open(stranger, { width: 'phone', language: 'pl', path: screen })
  await page.getByText('Przykłady wymagają kampanii').waitFor()
  const shown = await page.locator('main').innerText()
  assert.ok(shown.includes(`${baseUrl}/campaigns?limit=50`))
  assert.ok(!shown.includes(`${baseUrl}/campaigns/`))
  await assertAccessible(page)
  await assertFits(page)
  await page.getByRole('link', { name: 'Przejdź do kampanii' }).click()
  await page.waitForURL(/\/campaigns$/)
  assertUntroubled(page)
})

longTest('the limit is that of the account, where it has one', async () => {
  const { accountId } = stranger
  await stage.place.json(['account', 'set', String(accountId), '--rate-limit', '2'])
  const page = await stage.open(stranger, { language: 'pl', path: screen })
  await page.getByText('2 żądania w każdej minucie UTC').waitFor()
})
