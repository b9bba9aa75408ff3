// What the panel gives to paste into a mail is what docs/email.md says.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mailServices } from '../../panel/src/screens/campaigns/timer/mail-services.ts'
import { mailSnippet } from '../../panel/src/screens/campaigns/timer/mail-snippet.ts'
import { defaultTimerStyle } from '../../src/core/timer-style.ts'

const document_ = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'email.md'), 'utf8')
const tags = { link: 'LINK', timer: 'TIMER', deadline: 'DEADLINE' }
const text = { htmlEnds: (deadline: string) => `The offer ends on ${deadline}`, htmlSee: 'See the offer' }

test('docs/email.md and the panel have one HTML, whose image has another address in each mailing', () => {
  const [, html] = /^```html\n(.*?)\n```$/ms.exec(document_) ?? []
  assert.equal(html, mailSnippet(tags, defaultTimerStyle, text))
  assert.match(html ?? '', /src="TIMER\?m=1"/)
})

test('docs/email.md has the way by a server and the way without code, with the columns of the export', () => {
  const run = readFileSync(
    join(import.meta.dirname, '..', '..', 'panel/src/screens/campaigns/leads/export-run.ts'),
    'utf8',
  )
  for (const column of ['email', 'deadline', 'link_', 'countdown_']) {
    assert.ok(new RegExp(`['\`]${column}`).test(run), column)
    assert.ok(document_.includes(`\`${column}`), column)
  }
  assert.match(document_, /\(api\.md\)/)
  assert.match(document_, /\(panel\.md#leads\)/)
})

test('docs/email.md has the merge tags of the panel, service by service', () => {
  const rows = document_.replaceAll('\\|', '|').split('\n')
  for (const { name, tag } of Object.values(mailServices))
    assert.ok(
      rows.some((row) => row.includes(`| ${name} `) && row.includes(`\`${tag('LINK')}\``)),
      name,
    )
})
