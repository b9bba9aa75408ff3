// Leads and their history on the command line.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parse } from 'csv-parse/sync'
import { emailLines } from '../../panel/src/screens/campaigns/leads/read-emails.ts'
import { writeOutput } from '../../src/cli/files.ts'
import { mailHtml } from '../../src/core/mail-html.ts'
import { type MailService, mailServiceNames, mergeTag } from '../../src/core/mail-services.ts'
import type { Campaign } from '../../src/store/model.ts'
import { commandPauseMs } from '../support/api.ts'
import { citusUrl } from '../support/citus.ts'
import { decisionOf } from '../support/decision.ts'
import { amount } from '../support/faults.ts'
import { appliedCampaign, campaignFile, compileCache, type Installation, owner } from '../support/lastcall.ts'
import { plainServer } from '../support/panel-session.ts'
import { ask } from '../support/postgres-databases.ts'
import { assertRefused, comesTrue, prepared, root, sharedCommand } from '../support/prepared.ts'
import { holdProcessScope } from '../support/process-scope.ts'
import { rowsOf } from '../support/rows.ts'
import { databasesCreated, engine } from '../support/test-database.ts'

// The server that a test asks for first stays for the others.
holdProcessScope()

test('leads', { concurrency: 2, timeout: 400_000 }, async (t) => {
  const origin = await prepared(t)
  const campaign = ['--campaign', String(origin.campaignId)]
  const importFile = (place: Installation, csv: string | Buffer, name = 'emails.csv') => {
    writeFileSync(join(place.folder, name), csv)
    return place.runShared(['lead', 'import', ...campaign, name])
  }
  const imported = async (place: Installation, csv: string | Buffer) => {
    const { code, stdout, stderr } = await importFile(place, csv)
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  const emailsOf = async (place: Installation): Promise<string[]> =>
    (await place.json(['lead', 'list', ...campaign])).map(({ email }: any) => email).sort()
  const readInPanel = async (csv: string | Buffer<ArrayBuffer>, column: number) => {
    const file = new File([csv], 'emails.csv')
    return (await Array.fromAsync(emailLines({ file, column, hasHeader: true }, () => {}))).flat()
  }
  const tests: Promise<void>[] = []
  const check = (name: string, body: (t: TestContext) => Promise<void>) => {
    tests.push(t.test(name, body))
  }

  check('import, list, show', async (t) => {
    const place = origin.copy(t)
    assert.deepEqual(await emailsOf(place), [])
    const before = Math.floor(Date.now() / 1_000) * 1_000
    assert.deepEqual(await imported(place, 'email\na@example.com\nb@example.com\n'), {
      created: 2,
      existing: 0,
      refused: [],
    })
    assert.deepEqual(await emailsOf(place), ['a@example.com', 'b@example.com'])
    const { totals } = await place.json(['campaign', 'stats', String(origin.campaignId)])
    assert.equal(totals.registration.person, 2)
    const shown = await place.json(['lead', 'show', ...campaign, '--email', 'b@example.com'])
    assert.equal(shown.email, 'b@example.com')
    assert.equal(shown.state, 'open')
    assert.match(shown.registeredAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    const registeredAt = Date.parse(shown.registeredAt)
    assert.ok(registeredAt >= before && registeredAt <= Date.now())
    assert.equal(Date.parse(shown.deadline) - registeredAt, 48 * 3_600_000)

    // A second import is about new emails only: what is there stays as it is.
    assert.deepEqual(await imported(place, 'email\nb@example.com\nc@example.com\n'), {
      created: 1,
      existing: 1,
      refused: [],
    })
    assert.deepEqual(await place.json(['lead', 'show', ...campaign, '--email', 'b@example.com']), shown)
  })

  // Citus has no triggers on tables that are divided.
  if (engine === 'postgres' && citusUrl === undefined)
    check(
      'where one statement of an import fails, leads of the others are counted and said; so are counts that are lost',
      async (t) => {
        const place = origin.copy(t)
        assert.deepEqual(await emailsOf(place), [])
        await ask(
          place.databaseUrl,
          "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$",
          `CREATE TRIGGER refuse BEFORE INSERT ON leads FOR EACH ROW WHEN (NEW.email = 'lead-250@example.com')
          EXECUTE FUNCTION refuse()`,
        )
        const emails = Array.from({ length: 500 }, (_, n) => `lead-${n}@example.com\n`)
        const failed = await importFile(place, `email\n${emails.join('')}`)
        const there = (await emailsOf(place)).length
        assert.equal(failed.code, 1)
        assert.match(failed.stderr, new RegExp(`; until then at least ${there} created, 0 existing\n`))
        assert.ok(there > 0 && there < 500, String(there))
        const { totals } = await place.json(['campaign', 'stats', String(origin.campaignId)])
        assert.equal(totals.registration.person, there)
        await ask(
          place.databaseUrl,
          'CREATE TRIGGER refuse BEFORE INSERT ON daily_counts FOR EACH ROW EXECUTE FUNCTION refuse()',
        )
        const { code, stderr } = await importFile(place, 'email\na@example.com\nb@example.com\n')
        const said = 'lastcall: 2 counts could not be stored: statistics and results lack them\n'
        assert.deepEqual([code, stderr], [0, said])
      },
    )

  check('an export fills the HTML of every mail service, its headings being the tags', async (t) => {
    const place = origin.copy(t)
    const settings = await place.json(['campaign', 'export', String(origin.campaignId)])
    const pages = [...settings.pages, { pageUrl: 'https://example.com/closed', eligible: false }]
    const changed = { ...settings, timeZone: 'Europe/Warsaw', language: 'de', pages }
    await place.arrange((store) => appliedCampaign(store, origin.accountId, JSON.stringify(changed)))
    await imported(place, 'email\na@example.com\nb@example.com\n"=x"@example.com\n')
    await place.json(['lead', 'deadline', ...campaign, '--email', 'b@example.com', '--at', '2035-06-01T12:00:00Z'])
    const env = { DATABASE_URL: place.databaseUrl, INIT_CWD: place.folder, PUBLIC_URL: 'https://offers.example' }
    for (const service of mailServiceNames) {
      const call = ['lead', 'export', ...campaign, '--service', service, `${service}.csv`]
      const { code, stdout, stderr } = await sharedCommand(call, { env })
      assert.deepEqual([code, stderr], [0, ''])
      const path = join(place.folder, `${service}.csv`)
      const rows: Record<string, string>[] = parse(readFileSync(path), { bom: true, columns: true })
      assert.deepEqual(JSON.parse(stdout), { exported: 3, columns: Object.keys(rows[0] ?? {}) })
      assert.equal(statSync(path).mode & 0o777, 0o600)
      assert.deepEqual(rows.map(({ email }) => email).sort(), ['"=x"@example.com', 'a@example.com', 'b@example.com'])
      for (const row of rows) assertFilled(service, row)
      const byHand = rows.filter(({ setByHand }) => setByHand === 'true')
      assert.deepEqual(
        byHand.map(({ email, deadline }) => [email, deadline]),
        [['b@example.com', '2035-06-01T12:00:00Z']],
      )
    }
    // In the HTML there is the sentence, but who was registered before has to visit first.
    const apply = (mechanism: object) =>
      place.arrange((store) => appliedCampaign(store, origin.accountId, JSON.stringify({ ...changed, mechanism })))
    await apply({ ...changed.mechanism, startsOn: 'visit' })
    await imported(place, 'email\nlater@example.com\n')
    const visited = await sharedCommand(['lead', 'export', ...campaign, 'visit.csv'], { env })
    assert.equal(visited.stderr, '', 'the HTML says nothing about a deadline')
    await apply(changed.mechanism)
    const lacking = await sharedCommand(['lead', 'export', ...campaign, 'lacking.csv'], { env })
    assert.equal(lacking.stderr, 'lastcall: LC_END is empty for 1 of 4 leads: their offer has not begun\n')
    await place.json(['lead', 'deadline', ...campaign, '--email', 'later@example.com', '--at', '2020-06-01T12:00:00Z'])
    const over = await sharedCommand(['lead', 'export', ...campaign, 'over.csv'], { env })
    assert.equal(over.stderr, 'lastcall: the offer is over for 1 of 4 leads: their state is expired\n')
    await place.json(['lead', 'erase', ...campaign, '--email', 'later@example.com'])
    const unlinked = settings.pages.map((page: object) => ({ ...page, eligible: false }))
    const noTimer = 'lastcall: countdowns are empty: the campaign has no mail timer\n'
    const noLink = 'lastcall: links are empty: mails link to no page of the campaign\n'
    for (const [name, lacks, said] of [
      ['timeless', { mailTimer: null }, noTimer],
      ['linkless', { pages: unlinked }, noLink],
      ['bare', { pages: unlinked, mailTimer: null }, noLink + noTimer],
    ] as const) {
      const file = JSON.stringify({ ...changed, ...lacks })
      await place.arrange((store) => appliedCampaign(store, origin.accountId, file))
      assert.equal((await sharedCommand(['lead', 'export', ...campaign, `${name}.csv`], { env })).stderr, said)
    }
    await apply(changed.mechanism)
    await place.json(['account', 'set', '1', '--suspended', 'true'])
    const suspended = await sharedCommand(['lead', 'export', ...campaign, 'suspended.csv'], { env })
    assert.match(
      suspended.stderr,
      /^lastcall: links lead nowhere and countdowns are empty: the account is suspended\n$/,
    )
    await place.json(['account', 'set', '1', '--suspended', 'false', '--countdown-tools', 'false'])
    const made = await sharedCommand(['lead', 'export', ...campaign, 'off.csv'], { env })
    assert.equal(made.stderr, 'lastcall: links and countdowns are empty: the countdown tools of the account are off\n')
    const [off]: any[] = parse(readFileSync(join(place.folder, 'off.csv')), { bom: true, columns: true })
    assert.deepEqual([off.LC_LINK, off.LC_TIMER], ['', ''])
    await place.arrange((store) =>
      appliedCampaign(store, origin.accountId, JSON.stringify({ ...changed, isDraft: true })),
    )
    const ofDraft = await sharedCommand(['lead', 'export', ...campaign, 'draft.csv'], { env })
    assert.equal(ofDraft.stderr, 'lastcall: links and countdowns are empty: the campaign is a draft\n')
    assert.deepEqual([ofDraft.code, JSON.parse(ofDraft.stdout).exported], [0, 3])
    const again = await sharedCommand(['lead', 'export', ...campaign, 'other.csv'], { env })
    assertRefused(again, /other\.csv: exists already; name a new file/)
    const unknown = await sharedCommand(['lead', 'export', ...campaign, '--service', 'post', 'new.csv'], { env })
    assertRefused(unknown, /--service: must be other, mailchimp/)
    assert.ok(!existsSync(join(place.folder, 'new.csv')))
  })

  check(
    'our own files give the addresses that they were made of, also where they have marked them; others are as they are',
    async (t) => {
      const place = origin.copy(t)
      const marked = ['+a@example.com', '-a@example.com', '=a@example.com', "'+a@example.com", "''=a@example.com"]
      const emails = [...marked, "'a@example.com", '"=x, y"@example.com'].sort()
      await imported(place, `email\n${emails.map((email) => `"${email.replaceAll('"', '""')}"`).join('\n')}\n`)
      assert.deepEqual(await emailsOf(place), emails, 'as they are')
      await place.json(['lead', 'export', ...campaign, '--service', 'klaviyo', 'own.csv'])
      const cells: Record<string, string>[] = parse(readFileSync(join(place.folder, 'own.csv')), {
        bom: true,
        columns: true,
      })
      const formulas = cells.filter(({ email }) => /^[=+@-]/.test(email as string))
      assert.deepEqual(formulas, [])
      const file = await place.json(['campaign', 'export', String(origin.campaignId)])
      const { id: _, pages: __, ...copy } = file
      const { id } = await place.json(['campaign', 'apply', '--account', '1', '-'], JSON.stringify(copy))
      const report = await place.json(['lead', 'import', '--campaign', String(id), 'own.csv'])
      assert.deepEqual(report, { created: emails.length, existing: 0, refused: [] })
      const taken = (await place.json(['lead', 'list', '--campaign', String(id)])).map(({ email }: any) => email).sort()
      assert.deepEqual(taken, emails)
      const lines = await readInPanel(readFileSync(join(place.folder, 'own.csv')), 0)
      assert.deepEqual(lines.map(({ email }) => email).sort(), emails, 'in the panel too')
      const corrected = "email,reason,line\r\n'=typo@example.com,Not a valid email address,2\r\n"
      await imported(place, corrected)
      assert.ok((await emailsOf(place)).includes('=typo@example.com'), 'refused rows that were corrected')
      const [typo] = await readInPanel(Buffer.from(corrected), 0)
      assert.equal(typo?.email, '=typo@example.com')
      const cutDown = "email,setByHand,registeredAt,ref\n'+cut@example.com,,,\n"
      await imported(place, cutDown)
      assert.ok((await emailsOf(place)).includes('+cut@example.com'), 'an export without some of its columns')
      const [cut] = await readInPanel(Buffer.from(cutDown), 0)
      assert.equal(cut?.email, '+cut@example.com')
    },
  )

  check('CSV files are read as spreadsheets write them', async (t) => {
    const place = origin.copy(t)
    const csv =
      '\uFEFFname,email,"note"\r\n' +
      '"Bloggs, Joe",joe@example.com,"said ""yes"""\r\n' +
      'Ann,ann+tag@Example.com,\r\n' +
      '"two\r\nlines",two@example.com,x\r\n' +
      '\r\n' +
      'Quoted,"""joe bloggs""@example.com",x\r\n' +
      'Literal,"joe@[127.0.0.1]",x'
    assert.deepEqual(await imported(place, csv), { created: 5, existing: 0, refused: [] })
    assert.deepEqual(
      await emailsOf(place),
      [
        'joe@example.com',
        'ann+tag@Example.com',
        'two@example.com',
        '"joe bloggs"@example.com',
        'joe@[127.0.0.1]',
      ].sort(),
    )
  })

  check('a first line that names the separator is no heading, and is counted as a line', async (t) => {
    const place = origin.copy(t)
    const named = 'sep=;\r\nname, note;email\r\nJoe;joe@example.com\r\nAnn;none\r\n'
    const refused = [{ line: 4, reason: 'not an email address in ASCII' }]
    assert.deepEqual(await imported(place, named), { created: 1, existing: 0, refused })
    const mails = (await readInPanel(named, 1)).map(({ line, email }) => [line, email])
    assert.deepEqual(mails, [
      [3, 'joe@example.com'],
      [4, 'none'],
    ])
    assert.deepEqual(await imported(place, 'SEP=|\nname|email\nJoe|joe@example.com\n'), {
      ...{ created: 0, existing: 1 },
      refused: [],
    })
  })

  check('a file that is separated by semicolons or tabs, as its first line tells', async (t) => {
    const place = origin.copy(t)
    const csv =
      '\uFEFF"name, first";note;email\r\n' +
      'Bloggs, Joe;"a;b";joe@example.com\r\n' +
      'Kowalska, Anna, Maria;1,5;anna@example.com\r\n'
    assert.deepEqual(await imported(place, csv), { created: 2, existing: 0, refused: [] })
    const broken = '"first\nname";email\nJoe;broken@example.com\n'
    assert.deepEqual(await imported(place, broken), { created: 1, existing: 0, refused: [] })
    assert.equal((await readInPanel(broken, 1))[0]?.email, 'broken@example.com')
    // What stands in a first line separated by commas is not taken for a separator.
    for (const byCommas of ['"a;b",email\nx;y,ann@example.com\n', 'email,a;b\nbob@example.com,x;y\n']) {
      assert.deepEqual(await imported(place, byCommas), { created: 1, existing: 0, refused: [] })
    }
    // Nor is the comma in a heading of one that has the email, however that is written, between semicolons.
    for (const heading of ['email;last, first', 'Last, First;Email']) {
      const ofHeading = `${heading}\n${heading.replace(/email/i, 'heading@example.com')}\n`
      const created = heading.startsWith('email') ? 1 : 0
      assert.deepEqual(await imported(place, ofHeading), { created, existing: 1 - created, refused: [] })
      const column = heading.startsWith('email') ? 0 : 1
      assert.equal((await readInPanel(ofHeading, column))[0]?.email, 'heading@example.com')
    }
    const wide = Buffer.from('\uFEFFname;email\r\nJoe;wide@example.com\r\n', 'utf16le')
    assert.deepEqual(await imported(place, wide), { created: 1, existing: 0, refused: [] })
    assert.deepEqual(await readInPanel(wide, 1), [{ line: 2, email: 'wide@example.com', isMalformed: false }])
    const swapped = Buffer.from('\uFEFFname;email\r\nJoe;swapped@example.com\r\n', 'utf16le').swap16()
    assert.deepEqual(await imported(place, swapped), { created: 1, existing: 0, refused: [] })
    assert.deepEqual(await readInPanel(swapped, 1), [{ line: 2, email: 'swapped@example.com', isMalformed: false }])
    const unicodeText = Buffer.from('\uFEFFname\temail\r\nJoe, Ann;\ttabs@example.com\r\n', 'utf16le')
    assert.deepEqual(await imported(place, unicodeText), { created: 1, existing: 0, refused: [] })
    const pieces = ['name', ';em', 'ail\n1,5;', 'pieces@example.com\n']
    const { code, stdout, stderr } = await place.run(['lead', 'import', ...campaign, '-'], slowly(pieces))
    assert.deepEqual([code, JSON.parse(stdout).created], [0, 1], stderr)
    assert.deepEqual(await emailsOf(place), [
      ...[
        'ann@example.com',
        'anna@example.com',
        'bob@example.com',
        'broken@example.com',
        'heading@example.com',
        'joe@example.com',
        'pieces@example.com',
        'swapped@example.com',
        'tabs@example.com',
        'wide@example.com',
      ],
    ])
  })

  check(
    'a file whose lines end in several ways is read line by line, and its lines are counted as editors do',
    async (t) => {
      const place = origin.copy(t)
      const csv = 'email,note\r\na@example.com,"two\r\nlines"\r\nno email\nb@example.com\nc@example.com\rno email\r\n'
      const { refused, ...taken } = await imported(place, `${csv}d@example.com\r`)
      assert.deepEqual([taken, refused.map(({ line }: any) => line)], [{ created: 4, existing: 0 }, [4, 7]])
      assert.deepEqual(
        (await readInPanel(`${csv}d@example.com\r`, 0)).map(({ line, email }) => `${line} ${email}`),
        ['3 a@example.com', '4 no email', '5 b@example.com', '6 c@example.com', '7 no email', '8 d@example.com'],
      )
    },
  )

  check('bad emails are refused by line, the others are taken', async (t) => {
    const place = origin.copy(t)
    const lines = [
      'email',
      'good@example.com', // 2
      'no email', // 3
      ' padded@example.com', // 4
      'żółw@example.com', // 5
      `${'x'.repeat(60)}@${'y.'.repeat(96)}pl`, // 6: 255 characters
      '""', // 7
      'GOOD@example.com', // 8: another lead
      'good@example.com', // 9: again
      'a@b@example.com', // 10
      'last@example.com', // 11
    ]
    assert.equal(lines[5]?.length, 255)
    const result = await imported(place, `${lines.join('\n')}\n`)
    assert.deepEqual([result.created, result.existing], [3, 1])
    assert.deepEqual(
      result.refused.map(({ line }: any) => line),
      [3, 4, 5, 6, 7, 10],
    )
    for (const refusal of result.refused) {
      assert.deepEqual(Object.keys(refusal).sort(), ['line', 'reason'])
      assert.ok(refusal.reason)
    }
    assert.deepEqual(await emailsOf(place), ['GOOD@example.com', 'good@example.com', 'last@example.com'])
  })

  check('files that are no list of emails change nothing', async (t) => {
    const place = origin.copy(t)
    const before = await rowsOf(place)
    for (const [csv, named] of [
      ['', /email/],
      ['\n', /email/],
      ['name,address\nJoe,joe@example.com\n', /email/],
      ['joe@example.com\nann@example.com\n', /email/],
      ['name;address\nJoe;joe@example.com\n', /email/],
      ['name;email,note\nJoe;joe@example.com,x\n', /email/],
      [Buffer.from('email\njoe@example.com\n', 'utf16le'), /email|UTF-8/],
    ] as const) {
      const result = await importFile(place, csv as string)
      assertRefused(result, named, [2])
      assert.ok(result.stderr.includes('emails.csv'), result.stderr)
    }
    assert.deepEqual(await rowsOf(place), before)
    assert.deepEqual(await imported(place, 'email\n'), { created: 0, existing: 0, refused: [] })
  })

  check('a stray quote costs its own line and no other', async (t) => {
    const place = origin.copy(t)
    const result = await imported(place, 'email\n"a"b@example.com\nc"d@example.com\nlast@example.com\n')
    assert.deepEqual([result.created, result.refused.map(({ line }: any) => line)], [1, [2, 3]])
    assert.deepEqual(await emailsOf(place), ['last@example.com'])
  })

  check('a quote that is never closed does not swallow the rest in silence', async (t) => {
    const place = origin.copy(t)
    const many = (count: number) => Array.from({ length: count }, (_, n) => `lead-${n}@example.com`).join('\n')
    const broken = ['"open', `first@example.com,${'y'.repeat(70_000)}`]
    for (const [line, count] of broken.flatMap((line) => [[line, 3] as const, [line, 20_000] as const])) {
      const refused = await importFile(place, `email,note\n\nfirst@example.com\n${line}\n${many(count)}\n`)
      // A short line with a quote that is closed by nothing but the end of the file.
      assertRefused(refused, /emails\.csv: line [34]: /, [2])
    }
  })

  check('leads from a file that stops in its middle are counted, and the message says how many', async (t) => {
    const place = origin.copy(t)
    const many = Array.from({ length: 600 }, (_, n) => `lead-${n}@example.com`).join('\n')
    const stopped = await importFile(place, `email\n${many}\n"open\n`)
    assertRefused(stopped, /line 602/, [2])
    const { totals } = await place.json(['campaign', 'stats', String(origin.campaignId)])
    const { length } = await emailsOf(place)
    assert.ok(length > 0)
    assert.equal(totals.registration.person, length)
    assert.match(stopped.stderr, new RegExp(`; until then at least ${length} created, 0 existing\n$`))
  })

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    check(`${signal} ends an import after what it is writing: that is counted, and the message says so`, async (t) => {
      const place = origin.copy(t)
      const env = { PATH: process.env.PATH, DATABASE_URL: place.databaseUrl, NODE_COMPILE_CACHE: compileCache }
      const args = [join(root, 'src', 'main.ts'), 'lead', 'import', ...campaign, '-']
      await databasesCreated()
      const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'pipe'] })
      t.after(() => child.kill('SIGKILL'))
      child.stdin.on('error', () => {})
      // Never ended: the import could wait for more, too.
      child.stdin.write(
        `email\n${Array.from({ length: amount(10_000, 30_000) }, (_, n) => `lead-${n}@example.com\n`).join('')}`,
      )
      const leads = () => emailsOf(place).then(({ length }) => length)
      const isWriting = () =>
        place.arrange(async (store) => {
          const found = (await store.configuration.findCampaign(origin.campaignId)) as Campaign
          return (await store.leads.list(found, { prefix: '', afterEmail: '', limit: 1 })).length > 0
        })
      assert.ok(await comesTrue(20_000, isWriting))
      child.kill(signal)
      const [stderr, [code]] = await Promise.all([readText(child.stderr), once(child, 'close')])
      const count = await leads()
      assert.equal(code, 1)
      assert.match(stderr, new RegExp(`^lastcall: stopped by ${signal}: ${count} created, 0 existing, .*\\n$`))
      const { totals } = await place.json(['campaign', 'stats', String(origin.campaignId)])
      assert.equal(totals.registration.person, count)
    })

  check('ten thousand refused lines are listed and the rest counted; standard input has its name', async (t) => {
    const place = origin.copy(t)
    const { refused, moreRefused, ...taken } = await imported(place, `email\n${'x\n'.repeat(10_003)}a@example.com\n`)
    assert.deepEqual([refused.length, moreRefused, taken], [10_000, 3, { created: 1, existing: 0 }])
    const wrong = await place.runShared(['lead', 'import', ...campaign, '-'], 'mail\n')
    assertRefused(wrong, 'lastcall: standard input: line 1', [2])
  })

  check('an export that breaks off leaves no file that looks whole', async (t) => {
    const file = join(origin.copy(t).folder, 'leads.csv')
    const before = readdirSync(dirname(file))
    const pieces = async function* () {
      yield 'email\n'
      // A kill at this instant leaves nothing under the name either.
      while (readdirSync(dirname(file)).length === before.length) await sleep(1)
      assert.ok(!existsSync(file), 'a file that is not whole has the name of one')
      throw new Error('the database has gone')
    }
    await assert.rejects(writeOutput(file, pieces()), /the database has gone/)
    assert.deepEqual(readdirSync(dirname(file)), before)
    const untilMine = async function* () {
      yield 'email\n'
      writeFileSync(file, 'mine')
    }
    // Somebody makes the file while ours is written, and before.
    await assert.rejects(writeOutput(file, untilMine()), /exists already/)
    await assert.rejects(writeOutput(file, Readable.from(['email\n'])), /exists already/)
    assert.equal(readFileSync(file, 'utf8'), 'mine')
    assert.equal(readdirSync(dirname(file)).length, before.length + 1, 'a part is left')
  })

  check('a long list, and nothing on standard error without a terminal', async (t) => {
    const place = origin.copy(t)
    const emails = Array.from({ length: 5_000 }, (_, n) => `lead-${n}@example.com`)
    const { code, stdout, stderr } = await importFile(place, `email\n${emails.join('\n')}\n`)
    assert.equal(code, 0)
    assert.equal(stderr, '')
    assert.deepEqual(JSON.parse(stdout), { created: 5_000, existing: 0, refused: [] })
    assert.deepEqual(await emailsOf(place), emails.sort())
  })

  check('FILE is taken from where the caller stands, through npm too', async (t) => {
    const place = origin.copy(t)
    writeFileSync(join(place.folder, 'emails.csv'), 'email\nnpm@example.com\n')
    const env = { DATABASE_URL: place.databaseUrl, INIT_CWD: place.folder }
    const { code, stdout } = await sharedCommand(['lead', 'import', ...campaign, './emails.csv'], { env })
    assert.equal(code, 0)
    assert.equal(JSON.parse(stdout).created, 1)
    // What npm has told somebody else's script, which calls us from a folder of its own.
    const theirs = { env: { ...env, INIT_CWD: tmpdir() }, cwd: place.folder }
    const again = await sharedCommand(['lead', 'import', ...campaign, './emails.csv'], theirs)
    assert.equal(JSON.parse(again.stdout).existing, 1)
  })

  check('an import while the server runs, and a deadline set by hand, and cleared', async () => {
    const { place, server } = await plainServer()
    const { key, campaignId } = await owner(place)
    const campaign = ['--campaign', String(campaignId)]
    const looked = async () => {
      const answer = await fetch(`${server.base}/campaigns/${campaignId}/leads/lookup`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: '{"email":"a@example.com"}',
      })
      return ((await answer.json()) as any).deadline
    }
    assert.equal((await place.json(['lead', 'import', ...campaign, '-'], 'email\na@example.com\n')).created, 1)
    const lead = [...campaign, '--email', 'a@example.com']
    const own = await place.json(['lead', 'show', ...lead])
    assert.equal(await looked(), own.deadline)
    for (const [at, deadline, state] of [
      ['2035-01-01T12:00:00+01:00', '2035-01-01T11:00:00Z', 'open'],
      ['2020-01-01T00:00:00Z', '2020-01-01T00:00:00Z', 'expired'],
      ['none', own.deadline, 'open'],
    ] as const) {
      const set = await place.json(['lead', 'deadline', ...lead, '--at', at])
      assert.deepEqual([set.deadline, set.state, set.registeredAt], [deadline, state, own.registeredAt])
      assert.deepEqual(await place.json(['lead', 'show', ...lead]), set)
      assert.equal(await looked(), deadline)
    }
  })

  check('set by hand, a lead stays in its cycle, even if the campaign’s end is moved before that', async (t) => {
    const place = origin.copy(t)
    const ofCycles = (changes: object): any => {
      const [deadline, cycle] = [
        { kind: 'after', period: 'PT1H' },
        { enabled: true, pause: 'PT1H' },
      ]
      return { timeZone: 'UTC', mechanism: { startsOn: 'registration', deadline, cycle, ...changes } }
    }
    const apply = (changes: object, id?: number) =>
      place.json(['campaign', 'apply', '--account', '1', '-'], campaignFile({ ...ofCycles(changes), id }))
    const { id } = await apply({})
    const begunAt = Math.floor(Date.now() / 1_000) - 150 * 60
    await place.arrange(async (store) => {
      const found = (await store.configuration.findCampaign(id)) as Campaign
      await store.leads.write(found, 'a@example.com', () => decisionOf(found, begunAt), true)
    })
    const lead = ['--campaign', String(id), '--email', 'a@example.com']
    const set = await place.json(['lead', 'deadline', ...lead, '--at', '2035-01-01T00:00:00Z'])
    assert.equal(set.cycle, 2)
    await apply({ endsAt: new Date(begunAt * 1_000).toISOString().slice(0, 16) }, id)
    assert.deepEqual(await place.json(['lead', 'show', ...lead]), set)
  })

  check('the history of an account', async () => {
    const { place, server } = await plainServer()
    const me = await owner(place)
    const account = ['--account', String(me.accountId)]
    await place.json(['account', 'set', String(me.accountId), '--rate-limit', '6'])
    assert.deepEqual(await place.json(['history', 'list', ...account]), [])
    const stranger = await place.json(['account', 'create', '--name', 'Stranger'])
    const leads = `/campaigns/${me.campaignId}/leads`
    const ids: string[] = []
    const statuses: number[] = []
    const ask = async (path: string, body?: string, key = me.key) => {
      const answer = await fetch(server.base + path, {
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body }),
      })
      if (key === me.key) {
        ids.push(answer.headers.get('x-request-id') ?? '')
        statuses.push(answer.status)
      }
    }
    await ask('/campaigns', undefined, `${me.key}x`)
    await ask(leads, '{"email":"historic@example.com"}')
    await ask(`${leads}/lookup`, '{"email":"historic@example.com"}')
    await ask(`${leads}/lookup`, '{"email":"nobody@example.com"}')
    await ask('/campaigns')
    await ask('/nowhere')
    await ask(leads, '{"email":')
    for (let n = 0; n < 3; n++) await ask('/campaigns?historic=historic')
    const list = () => place.json<any[]>(['history', 'list', ...account])
    const isThere = async () => (await list()).length === ids.length
    assert.ok(await comesTrue(5_000, isThere, commandPauseMs), 'entries are missing')
    const entries = await list()
    const text = JSON.stringify(entries)
    for (const id of ids) assert.ok(text.includes(id), `no entry for ${id}`)
    for (const word of ['historic', 'nobody', me.key, '@']) assert.ok(!text.includes(word), `${word} is kept`)
    assert.deepEqual(entries.map(({ status }) => status).sort(), [...statuses].sort())
    for (const status of [200, 201, 400, 404]) assert.ok(statuses.includes(status))
    assert.deepEqual(await place.json(['history', 'list', '--account', String(stranger.id)]), [])
  })

  check('an import into a draft, and leads of a campaign that is gone', async (t) => {
    const place = origin.copy(t)
    await imported(place, 'email\na@example.com\nb@example.com\n')
    await place.arrange(async (store) => {
      const { accountId, campaignId } = origin
      const found = (await store.configuration.findCampaign(campaignId)) as Campaign
      const leads = await store.leads.list(found, { prefix: '', afterEmail: '', limit: 2 })
      const click = { kind: 'click', fetcher: 'person', day: 1, pageId: null, total: 1, lastAt: 1 } as const
      await store.counts.add(leads.map(({ id }) => ({ ...click, accountId, campaignId, leadId: id })))
    })
    const ofLeads = ['leads', 'lead_counts', 'clicked_leads']
    const counts = async (tables: string[]) => {
      const rows = await rowsOf(place)
      return tables.map((table) => rows[table]?.length)
    }
    assert.deepEqual(await counts(ofLeads), [2, 2, 2])
    await place.json(['lead', 'erase', ...campaign, '--email', 'b@example.com'])
    assert.deepEqual(await counts(ofLeads), [1, 1, 1])
    const draft = campaignFile({ id: origin.campaignId, isDraft: true })
    await place.json(['campaign', 'apply', '--account', String(origin.accountId), '-'], draft)
    assert.deepEqual(await emailsOf(place), ['a@example.com'])
    await place.json(['campaign', 'delete', String(origin.campaignId), '--yes'])
    assertRefused(await place.runShared(['lead', 'list', ...campaign]), String(origin.campaignId), [2])
    assert.deepEqual(await counts([...ofLeads, 'daily_counts', 'signup_counts']), [0, 0, 0, 0, 0])
    assert.ok(!JSON.stringify(await rowsOf(place)).includes('a@example.com'), 'its leads are still there')
  })

  await Promise.all(tests)
})

async function* slowly(pieces: string[]): AsyncGenerator<string> {
  for (const piece of pieces) {
    await sleep(400)
    yield piece
  }
}

/** The HTML of the service, with what the row has below the names of its tags. */
function assertFilled(service: MailService, row: Record<string, string>): void {
  const tag = (field: string) => mergeTag(service, field)
  const values = { link: tag('LC_LINK'), timer: tag('LC_TIMER'), deadline: tag('LC_END'), startsOnVisit: false }
  let html = mailHtml(values, { width: 600, height: 140 }, 'de')
  const fields = Object.entries(row).filter(([heading]) => /^LC_?[A-Z]/i.test(heading))
  for (const [heading, value] of fields) html = html.replaceAll(mergeTag(service, heading), value)
  assert.equal(fields.length, 3, 'one link for one eligible page')
  const id = '[\\da-f]{32}'
  const endsAt = new Date(row.deadline as string)
  const time = new Intl.DateTimeFormat('de', { timeZone: 'Europe/Warsaw', timeStyle: 'short' }).format(endsAt)
  const says = `Das Angebot endet am <strong>\\d{1,2}\\. \\p{L}+ \\d{4} um ${time} Uhr</strong>`
  assert.match(html, new RegExp(`^<a href="https://offers\\.example/go/\\d+/${id}">`))
  assert.match(html, new RegExp(`<img src="https://offers\\.example/timer/de/${id}\\.gif\\?m=1"`))
  assert.match(html, new RegExp(says, 'u'))
  assert.doesNotMatch(html, /\d{4}-\d\d|LC_|LC[LTE]|[{}*|[\]~$]/i)
}
