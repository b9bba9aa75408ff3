// docs/email.md says what the product does with mails: its HTML, the merge tags, the columns of the export.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mailHtml } from '../../src/core/mail-html.ts'
import { type MailService, mailServices, mergeTag } from '../../src/core/mail-services.ts'
import { defaultTimerStyle } from '../../src/core/timer-style.ts'

const document_ = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'email.md'), 'utf8')

test('docs/email.md has the HTML of the product, whose image has another address in each mailing', () => {
  const [, html] = /^```html\n(.*?)\n```$/ms.exec(document_) ?? []
  const values = { link: 'LC_LINK', timer: 'LC_TIMER', deadline: 'LC_END', startsOnVisit: false }
  assert.equal(html, mailHtml(values, defaultTimerStyle, 'en'))
  assert.match(html ?? '', /src="LC_TIMER\?m=1"/)
})

test('docs/email.md has the way by a server and the way without code, with the columns of the export', () => {
  for (const column of ['email', 'LC_LINK', 'LC_TIMER', 'LC_END', 'LC_LINK2'])
    assert.ok(document_.includes(`\`${column}\``), column)
  assert.match(document_, /\(api\.md\)/)
  assert.match(document_, /\(panel\.md#mail-timer\)/)
})

test('docs/email.md has the merge tags of each mail service', () => {
  const rows = document_.replaceAll('\\|', '|').split('\n')
  for (const [id, { name }] of Object.entries(mailServices).filter(([id]) => id !== 'other'))
    assert.ok(
      rows.some((row) => row.includes(`| ${name} `) && row.includes(`\`${mergeTag(id as MailService, 'LC_LINK')}\``)),
      name,
    )
})
