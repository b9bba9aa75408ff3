// What stands in mails: the deadline in words, and the HTML.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deadlineInWords, mailHtml, mailText } from '../../src/core/mail-html.ts'
import { mailLanguages } from '../../src/core/mail-language.ts'
import { mailServiceNames, mergeTag } from '../../src/core/mail-services.ts'

const at = Date.UTC(2026, 10, 25, 22, 59, 59) / 1_000

test('a deadline is said in each language, as clocks of the zone show it', () => {
  const said = Object.fromEntries(
    mailLanguages.map((language) => [language, deadlineInWords(at, 'Europe/Warsaw', language)]),
  )
  assert.deepEqual(said, {
    en: '25 November 2026 at 23:59',
    pl: '25 listopada 2026 o 23:59',
    de: '25. November 2026 um 23:59 Uhr',
    es: '25 de noviembre de 2026 a las 23:59',
    fr: '25 novembre 2026 à 23:59',
    it: '25 novembre 2026 alle ore 23:59',
    nl: '25 november 2026 om 23:59 uur',
    pt: '25 de novembro de 2026 às 23:59',
    cs: '25. listopadu 2026 ve 23:59',
    uk: '25 листопада 2026 р. о 23:59',
  })
  assert.equal(deadlineInWords(at, 'America/New_York', 'en'), '25 November 2026 at 17:59')
  assert.equal(deadlineInWords(at + 1, 'UTC', 'en'), '25 November 2026 at 23:00')
  const first = Date.UTC(2026, 10, 1, 9) / 1_000
  assert.equal(deadlineInWords(first, 'UTC', 'fr'), '1er novembre 2026 à 09:00')
  assert.equal(deadlineInWords(first + 20 * 86_400, 'UTC', 'fr'), '21 novembre 2026 à 09:00')
  const others = {
    ...{ cs: ['ve', [2, 3, 4, 12, 13, 14, 20, 21, 22, 23]], es: ['a la', [1]] },
    ...{ pt: ['à', [1]], uk: ['об', [11]] },
  } as const
  for (const [language, [word, hours]] of Object.entries(others)) {
    const found = Array.from({ length: 24 }, (_, hour) => hour).filter((hour) => {
      const words = deadlineInWords(Date.UTC(2026, 10, 25, hour) / 1_000, 'UTC', language as keyof typeof others)
      return words.includes(` ${word} ${String(hour).padStart(2, '0')}:`)
    })
    assert.deepEqual(found, hours, language)
  }
  // On either side of a change of the clocks.
  assert.equal(
    deadlineInWords(Date.UTC(2026, 9, 25, 0, 30) / 1_000, 'Europe/Warsaw', 'pl'),
    '25 października 2026 o 02:30',
  )
  assert.equal(
    deadlineInWords(Date.UTC(2026, 9, 25, 2, 30) / 1_000, 'Europe/Warsaw', 'pl'),
    '25 października 2026 o 03:30',
  )
})

test('the HTML has no word of another language, and without a deadline no sentence about one', () => {
  const size = { width: 600, height: 140 }
  const values = { link: 'L', timer: 'T', deadline: null, startsOnVisit: false }
  const of = (deadline: string | null, language: (typeof mailLanguages)[number]) =>
    mailHtml({ ...values, deadline }, size, language)
  assert.equal(new Set(mailLanguages.map((language) => of('THEN', language))).size, mailLanguages.length)
  for (const language of mailLanguages) {
    assert.equal(of('THEN', language).split('THEN').length - 1, 2, language)
    if (language !== 'en') assert.doesNotMatch(of('THEN', language), /\b(?:offer|ends)\b/)
    assert.doesNotMatch(of(null, language), /<strong>|null/)
    assert.equal(mailText(values, language).split('\n').length, 2)
  }
  assert.equal(mailText(values, 'fr'), 'Voir l’offre\u00a0: L\n')
})

test('where the time begins with a first visit, HTML and text say so in each language, and name no deadline', () => {
  const values = { link: 'L', timer: 'T', deadline: null, startsOnVisit: true }
  const said = mailLanguages.map((language) => {
    const [, sentence = ''] = /<p>(\S.*\S\.) <a/.exec(mailHtml(values, { width: 1, height: 1 }, language)) ?? []
    assert.ok(sentence.length > 30 && mailText(values, language).startsWith(`${sentence}\n`), language)
    return sentence
  })
  assert.equal(new Set(said).size, mailLanguages.length)
})

test('the tags of a service name three different fields, which fit into those of Mailchimp', () => {
  const fields = ['LC_LINK', 'LC_TIMER', 'LC_END']
  for (const service of mailServiceNames) {
    const tags = fields.map((field) => mergeTag(service, field))
    assert.equal(new Set(tags).size, 3, service)
  }
  for (const field of [...fields, 'LC_LINK99']) assert.ok(field.length <= 10)
})
