// Bad input: one line on standard error that names the argument, exit 2, nothing changed.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { campaignFile, type Finished } from '../support/lastcall.ts'
import { assertRefused, prepared, several } from '../support/prepared.ts'
import { rowsOf } from '../support/rows.ts'

test('wrong calls', { timeout: 400_000 }, async (t) => {
  const { place, accountId, campaignId, keyId } = await prepared(t)
  const account = String(accountId)
  const campaign = String(campaignId)
  const email = 'known@example.com'
  writeFileSync(join(place.folder, 'emails.csv'), `email\n${email}\n`)
  await place.json(['lead', 'import', '--campaign', campaign, 'emails.csv'])
  const document = (change: object) =>
    JSON.stringify({ campaign: { timeZone: 'UTC', mechanism: rule }, events: [], ...change })
  const at = '2026-06-01T11:00:00Z'

  const hook = ['--name', 'A', '--url', 'https://shop.example/', '--kinds', 'lead.registered']

  /** The call, what the line must name, and standard input. */
  const calls: [args: string[], named: string | RegExp, input?: string][] = [
    [['account', 'create'], '--name'],
    [['account', 'create', '--name'], /: --name: its value is missing$/m],
    [['account', 'create', '--name', ''], '--name'],
    [['account', 'create', '--name', '🎉'.repeat(201)], '--name'],
    [['account', 'create', '--name', 'A', '--size', '1'], /'--size'; options here: --name$/m],
    [['account', 'create', '--name', 'A', 'B'], /argument.*only options/],
    [['account', 'list', 'all'], /argument.*only options/],
    [['account', 'set'], 'ID'],
    [['account', 'set', 'one'], 'ID'],
    [['account', 'set', '999', '--suspended', 'true'], '999'],
    [['account', 'set', account, '--suspended', 'yes'], '--suspended'],
    [['account', 'set', account, '--suspended'], '--suspended'],
    [['account', 'set', account, '--countdown-tools', 'on'], '--countdown-tools'],
    [['account', 'set', account, '--rate-limit', '-1'], '--rate-limit'],
    [['account', 'set', account, '--rate-limit', '1.5'], '--rate-limit'],
    [['account', 'set', account, '--rate-limit', 'none'], '--rate-limit'],
    [['account', 'set', account, '--suspended', 'true', '--rate-limit', 'x'], '--rate-limit'],

    [['key', 'create', '--name', 'A'], '--account'],
    [['key', 'create', '--account', account], '--name'],
    [['key', 'create', '--account', '999', '--name', 'A'], /--account.*999/],
    [['key', 'create', '--account', '1e0', '--name', 'A'], '--account'],
    [['key', 'create', '--account', '0', '--name', 'A'], '--account'],
    [['key', 'create', '--account', '99999999999999999999', '--name', 'A'], '--account'],
    [
      ['key', 'create', '--account', account, '--name', 'A', '--scope', 'events,all'],
      /--scope: .* events,conversions$/m,
    ],
    [['key', 'list'], '--account'],
    [['key', 'list', '--account', '999'], /--account.*999/],
    [['key', 'rename', keyId], '--name'],
    [['key', 'rename', '--name', 'A'], 'ID'],
    [['key', 'rename', '00000000-0000-4000-8000-000000000000', '--name', 'A'], 'ID'],
    [['key', 'rename', keyId, '--name', ' '], '--name'],
    [['key', 'revoke'], 'ID'],
    [['key', 'revoke', keyId.slice(0, 8)], 'ID'],
    [['key', 'revoke', keyId, keyId], /argument.*only ID/],

    [['webhook', 'create', '--account', account, '--name', 'A'], /^lastcall: --url: is missing; --kinds: is missing$/m],
    [
      ['webhook', 'create', '--account', account, ...hook, '--lead-times', 'PT1S'],
      'lastcall: --lead-times[0]: must be',
    ],
    [['webhook', 'create', '--account', account, ...hook, '--in-flight', '33'], 'lastcall: --in-flight: must be'],
    [['webhook', 'create', '--account', account, ...hook, '--per-minute', '0'], /from 1 to 100000, or none$/m],
    [['webhook', 'create', '--account', account, ...hook, '--campaigns', 'none'], /--campaigns: .*, or all$/m],

    [['campaign', 'apply', '--account', account], 'FILE'],
    [['campaign', 'apply', 'campaign.json'], '--account'],
    [['campaign', 'apply', '--account', account, '-'], /at most 16 MiB/, `{}${' '.repeat(16 * 1_048_576)}`],
    [['campaign', 'apply', '--account', account, 'nowhere.json'], 'nowhere.json'],
    [['campaign', 'apply', '--account', account, '.'], /\./],
    [['campaign', 'apply', '--account', '999', '-'], '999', campaignFile()],
    [['campaign', 'list'], '--account'],
    [['campaign', 'list', '--account', '999'], '999'],
    [['campaign', 'delete', campaign], '--yes'],
    [['campaign', 'delete', '999', '--yes'], '999'],
    [['campaign', 'delete', '--yes'], 'ID'],
    [['campaign', 'delete', 'all', '--yes'], 'ID'],
    [['campaign', 'export'], 'ID'],
    [['campaign', 'export', '999'], '999'],

    [
      ['campaign', 'report', campaign, '--from', '2026-02-02', '--to', '2026-02-01'],
      /: --from: must not be after --to$/m,
    ],
    [['campaign', 'report', campaign, '--from', '2027-02-02', '--to', '2029-02-01'], /before --to$/m],
    [['campaign', 'report', campaign, '--from', '9999-12-31'], /after today, as there is no --to$/m],

    [['lead', 'list'], '--campaign'],
    [['lead', 'list', '--campaign', '999'], '999'],
    [['lead', 'show', '--campaign', campaign], '--email'],
    [['lead', 'show', '--email', email], '--campaign'],
    [['lead', 'show', '--campaign', campaign, '--email', email, '--email', email], /--email is given twice/],
    [['lead', 'show', '--campaign', campaign, '--email', 'nobody@example.com'], '--email'],
    [['lead', 'show', '--campaign', campaign, '--email', email.toUpperCase()], '--email'],
    [['lead', 'show', '--campaign', campaign, '--email', 'no email'], /--email: must be/],
    [['lead', 'deadline', '--campaign', campaign, '--email', email], '--at'],
    [['lead', 'deadline', '--campaign', campaign, '--email', email, '--at', 'tomorrow'], '--at'],
    [['lead', 'deadline', '--campaign', campaign, '--email', email, '--at', '2026-06-05'], '--at'],
    [['lead', 'deadline', '--campaign', campaign, '--email', email, '--at', '2026-02-30T10:00:00Z'], '--at'],
    [['lead', 'deadline', '--campaign', campaign, '--email', email, '--at', '2026-06-05T10:00:00'], '--at'],
    [['lead', 'deadline', '--campaign', campaign, '--email', 'nobody@example.com', '--at', at], '--email'],
    [['lead', 'erase', '--campaign', campaign], '--email'],
    [['lead', 'erase', '--campaign', campaign, '--email', 'nobody@example.com'], '--email'],
    [['lead', 'erase', '--campaign', '999', '--email', email], '999'],
    [['lead', 'import', '--campaign', campaign], 'FILE'],
    [['lead', 'import', '--campaign', campaign, 'nowhere.csv'], 'nowhere.csv'],
    [['lead', 'import', '--campaign', '999', 'emails.csv'], '999'],
    [['lead', 'import', 'emails.csv'], '--campaign'],
    [['lead', 'import', '--campaign', campaign, '-'], /line 1: must name a column email/, 'e-mail\nb@example.com\n'],
    [
      ['lead', 'import', '--campaign', campaign, '-'],
      /line 1: must name the column "email" only once/,
      'email,name,name,email\nb@example.com,b,b,c@example.com\n',
    ],
    [
      ['conversion', 'import', '--campaign', campaign, '-'],
      /line 1: must name the column "at" only once/,
      'email,orderId,at,at\na@example.com,1,,\n',
    ],
    [['history', 'list'], '--account'],
    [['history', 'list', '--account', '999'], '999'],

    [['openapi', '--server', 'example.com'], '--server'],
    [['openapi', '--server', '/api/public/v1'], '--server'],
    [['openapi', '--server', ''], '--server'],
    [['backup'], 'FILE'],
    [['migrate', 'down'], /argument.*only options/],

    [['simulate', 'nowhere.json'], 'nowhere.json'],
    [['lead', 'export', '--campaign', campaign, '-'], 'FILE: must be the name of a new file'],
    [['lead', 'import', '--campaign', campaign, ''], 'FILE: must be the name of a file'],
    [['backup', '-'], 'FILE: must be the name of a new file'],
    [['backup', ''], 'FILE: must be the name of a new file'],
    [['simulate', 'a', 'b'], /argument.*only \[FILE\]/],
    [['simulate'], /JSON/, ''],
    [['simulate'], /JSON/, '{'],
    [['simulate'], /object/i, '1'],
    [['simulate'], 'campaign', '{"events":[]}'],
    [['simulate'], 'events', JSON.stringify({ campaign: { timeZone: 'UTC', mechanism: rule } })],
    [['simulate'], 'surprise', document({ surprise: 1 })],
    [['simulate'], path('events', 0, 'do'), document({ events: [{ do: 'open', at }] })],
    [['simulate'], path('events', 0, 'at'), document({ events: [{ do: 'register' }] })],
    [['simulate'], path('events', 0, 'at'), document({ events: [{ do: 'register', at: '2026-06-01' }] })],
    [['simulate'], /at: .*9900/, document({ events: [{ do: 'register', at: '9900-01-01T00:00:00Z' }] })],
    [['simulate'], path('events', 0, 'to'), document({ events: [{ do: 'extend', at }] })],
    [['simulate'], path('events', 0, 'to'), document({ events: [{ do: 'visit', at, to: at }] })],
    [['simulate'], path('events', 0, 'why'), document({ events: [{ do: 'visit', at, why: 1 }] })],
    [
      ['simulate'],
      path('events', 1, 'at'),
      document({
        events: [
          { do: 'register', at },
          { do: 'lookup', at: '2026-06-01T10:59:59Z' },
        ],
      }),
    ],
    [['simulate'], path('campaign', 'timeZone'), document({ campaign: { timeZone: 'Mars', mechanism: rule } })],
    [
      ['simulate'],
      path('campaign', 'mechanism', 'deadline', 'period'),
      document({
        campaign: { timeZone: 'UTC', mechanism: { ...rule, deadline: { kind: 'after', period: '2h' } } },
      }),
    ],
    [['simulate'], path(1, 'events', 0, 'do'), `[${document({})},${document({ events: [{ do: 'open', at }] })}]`],
  ]

  const before = await rowsOf(place)
  const results = await several(2, calls, ([args, , input]) => place.runShared(args, input))
  for (const [n, [args, named]] of calls.entries())
    await t.test(args.join(' '), () => assertRefused(results[n] as Finished, named, [2]))
  await t.test('nothing has changed', async () => assert.deepEqual(await rowsOf(place), before))
})

const rule = { startsOn: 'registration', deadline: { kind: 'after', period: 'PT48H' } }

/** A path such as `events[0].at`, in whatever notation. */
function path(...steps: (string | number)[]): RegExp {
  return new RegExp(steps.join('\\W{1,3}'))
}
