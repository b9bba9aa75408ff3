// The panel's words: both languages say everything, each in its own words.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pages as helpEn } from '../../panel/src/help/en.ts'
import { pages as helpPl } from '../../panel/src/help/pl.ts'
import { plural } from '../../panel/src/language.ts'
import { words as leadWords } from '../../panel/src/screens/campaigns/leads/words.ts'
import { words as pageWords } from '../../panel/src/screens/campaigns/pages/words.ts'
import { words as previewWords } from '../../panel/src/screens/campaigns/rules/preview-words.ts'
import { words as ruleWords } from '../../panel/src/screens/campaigns/rules/words.ts'
import { words as webhookWords } from '../../panel/src/screens/integrations/webhooks/words.ts'

const root = join(import.meta.dirname, '..', '..', 'panel', 'src')
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /(?:^|[/-])words\.ts$/.test(name),
)

/** What is the same in both languages: names, and words that Polish has taken over. */
const alike =
  /^(?:Lastcall|Black Friday|API|Id|Menu|webhook|URL|HTML|HTTP|CSV|cURL|Node|Python|PHP|Postman|Bruno|Status|Start|Link|OpenAPI.*|.?)$/

type Pair = { path: string; en: unknown; pl: unknown }

/** Every text of both languages, side by side; what makes a text of numbers is tried with several. */
function* texts(path: string, en: unknown, pl: unknown): Generator<Pair> {
  if (typeof en === 'function' && typeof pl === 'function') {
    for (const given of [1, 2, 5, 22, 'Ada']) {
      const said = [en, pl].map((words) => attempt(words as (...given: unknown[]) => unknown, given))
      if (said.every((one) => typeof one === 'string')) yield { path: `${path}(${given})`, en: said[0], pl: said[1] }
    }
  } else if (typeof en === 'object' && en !== null) {
    assert.deepEqual(Object.keys(pl as object), Object.keys(en), path)
    for (const key of Object.keys(en)) {
      yield* texts(`${path}.${key}`, (en as any)[key], (pl as any)[key])
    }
  } else yield { path, en, pl }
}

/** Some make their text of what only the service can say. */
function attempt(words: (...given: unknown[]) => unknown, given: unknown): unknown {
  try {
    return words(given, given, given)
  } catch {
    return undefined
  }
}

async function pairsOf(file: string): Promise<Pair[]> {
  const module = await import(join(root, file))
  return Object.entries<any>(module).flatMap(([name, words]) =>
    words?.en === undefined || words?.pl === undefined ? [] : [...texts(`${file} ${name}`, words.en, words.pl)],
  )
}

test('no text is empty, unfinished, or left in English', async () => {
  assert.ok(files.length > 8)
  let count = 0
  const same: string[] = []
  for (const file of files) {
    for (const { path, en, pl } of await pairsOf(file)) {
      if (typeof en !== 'string') continue
      count += 1
      assert.notEqual(en.trim(), '', path)
      assert.notEqual(String(pl).trim(), '', path)
      assert.doesNotMatch(`${en}${pl}`, /#|undefined|TODO|\[object/, path)
      const isName = alike.test(en) || !/[a-z]{3}/i.test(en.replace(/\bAda\b|\d+/g, ''))
      if (!isName && pl === en) same.push(`${path}: ${en}`)
    }
  }
  assert.deepEqual(same, [])
  assert.ok(count > 300, String(count))
})

test('Polish speaks to women and men alike', async () => {
  const ofOneGender =
    /\b(?:jesteś|pozostaniesz|zostaniesz|będziesz)[^.,;]* \p{L}+(?:any|ony|ana|ona)(?!\p{L})|\p{L}ł[ae]ś(?!\p{L})/iu
  for (const file of files) {
    for (const { path, pl } of await pairsOf(file)) assert.doesNotMatch(String(pl), ofOneGender, path)
  }
  for (const page of Object.values(helpPl)) assert.doesNotMatch(page, ofOneGender)
})

test('the help has the states of offers as the list of leads calls them', () => {
  for (const [page, { states }] of [
    [helpEn.leads, leadWords.en],
    [helpPl.leads, leadWords.pl],
  ] as const) {
    for (const state of Object.values(states)) assert.ok(page.includes(`**${state}**`), state)
  }
})

test('where a lead has no link, the switch that gives one is named as it is', () => {
  for (const language of ['en', 'pl'] as const) {
    const said = leadWords[language].todo.NO_OFFER_PAGES
    assert.ok(said.includes(pageWords[language].eligible), said)
  }
})

test('a number takes the form of its language', () => {
  const leads = { one: '# lead', few: '# leady', other: '# leadów' }
  const forms = [0, 1, 2, 4, 5, 12, 14, 21, 22, 25, 100, 102].map((count) => plural('pl', count, leads))
  assert.deepEqual(forms, [
    ...['0 leadów', '1 lead', '2 leady', '4 leady', '5 leadów', '12 leadów', '14 leadów'],
    ...['21 leadów', '22 leady', '25 leadów', '100 leadów', '102 leady'],
  ])
  assert.equal(plural('en', 1_000, { one: '# lead', other: '# leads' }), '1,000 leads')
})

test('a period of the rules is right in Polish, whatever its number', () => {
  const { after, retry, cycle, minLead, minLeadAfter, units } = ruleWords.pl
  const { visitAfter, visitAfterEnd } = previewWords.pl
  assert.deepEqual(
    [
      `${after[0]} 2 ${units.D(2)} ${after[1]}`,
      `${retry[0]} 1 ${units.M(1)} ${retry[1]}`,
      `${cycle[0]} 5 ${units.H(5)} ${cycle[1]}`,
      `${minLead} 1 ${units.H(1)} ${minLeadAfter}`,
      `${visitAfter} 22 ${units.M(22)} ${visitAfterEnd}`,
    ],
    [
      'Kończy się 2 dni później.',
      'Nowy zapis liczy się najwcześniej 1 minutę po zakończeniu oferty,',
      'Otwiera się ponownie 5 godzin po każdym zakończeniu,',
      'Każdy ma co najmniej 1 godzinę do końca; kto miałby mniej, dostaje następny termin.',
      'Załóżmy, że pierwsza wizyta nastąpi 22 minuty po zapisie.',
    ],
  )
})

test('a step of the preview has one colon, before what it leads to', () => {
  for (const { steps, pending, scheduled, until, endless, expired, unchanged } of Object.values(previewWords)) {
    const outcomes = [pending, scheduled('Mon'), until('Mon'), endless, expired, unchanged]
    for (const said of [...Object.values(steps), ...outcomes]) assert.doesNotMatch(said, /:/)
  }
})

test('every count in Polish words has the forms that Polish has', async () => {
  for (const file of files) {
    const pairs = await pairsOf(file)
    for (const [index, { path, en, pl }] of pairs.entries()) {
      const five = pairs[index + 1]
      if (!path.endsWith('(2)') || !/\b2\b/.test(String(en)) || five === undefined) continue
      // Where English has one form for two and five and Polish the same, a number stands in it that is no count.
      const words = (text: unknown) => String(text).replace(/\d+/g, '')
      const isCount = words(en) !== words(pairs[index - 1]?.en)
      if (isCount) assert.notEqual(words(pl), words(pairs[index - 1]?.pl), path)
    }
  }
})

/** What a colleague would not say, and second words for what has one. The reference speaks as the API does. */
const unsaid = [
  /\bmend|\bafresh\b|\bwhoever\b|\bas (?:they|it) stands?\b|\banew\b|\bcomes? (?:now|in the evening|again)\b|Coming again/i,
  /Good to know|do not fit together|spaces alone|As the system|written to|the only one|These are all|in ASCII/,
  /Przychodzi|Kto przychodzi|które tu stoją|To wszyscy|To jedyny|nie widziano|Podawaj|własny czas|komu czas|Warto/,
]
const ofTheApi = /^screens\/integrations\/|^screens\/coming-in\//
const registration = /\bregist(?:er|ered|ers|ering|ration|rations)\b|rejestr/i

test('the words are those that a colleague would say, and one for one thing', async () => {
  for (const file of files) {
    for (const { path, en, pl } of await pairsOf(file)) {
      for (const one of unsaid) assert.doesNotMatch(`${en} ${pl}`, one, path)
      if (!ofTheApi.test(file)) assert.doesNotMatch(`${en} ${pl}`, registration, path)
    }
  }
  for (const { path, en, pl } of texts('help', helpEn, helpPl)) {
    for (const one of unsaid) assert.doesNotMatch(`${en} ${pl}`, one, path)
  }
})

test('the number of a webhook’s waiting events has its thousands set apart', () => {
  assert.equal(webhookWords.en.counted(1_234), '1,234')
  assert.equal(webhookWords.pl.counted(10_000), '10\u00a0000')
})
