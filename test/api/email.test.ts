// An email is a Mailbox of RFC 5321 in ASCII, of at most 254 characters, kept and compared byte for byte.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { assertError, assertStatus, call, leads, lookups, openShop } from '../support/api.ts'
import { amount } from '../support/faults.ts'
import { isMailbox } from '../support/mailbox.ts'

const shop = openShop()
const ask = (path: string, email: string) => call(shop.server, 'POST', path, { key: shop.owner.key, body: { email } })
const register = (email: string) => ask(leads(shop.owner.campaignId), email)

const long = (length: number, end: string) => 'a'.repeat(length - end.length) + end

const valid: [string, string?][] = [
  ['joe@example.com'],
  ['JOE@EXAMPLE.COM'],
  ['joe.bloggs@example.com'],
  ['joe+tag@example.com'],
  ['a@b'],
  ['1@2'],
  ['joe@localhost'],
  ['joe@123.123.123.123'],
  ['te~st@example.com'],
  ['~test@example.com'],
  ['test~@example.com'],
  ["!#$%&'*+-/=?^_`{|}~@example.com"],
  ["o'brien@example.com"],
  ['-@example.com'],
  ['--@example.com'],
  ['a-b@example.com'],
  ['_@example.com'],
  ['$A12345@example.com'],
  ['customer/department=shipping@example.com'],
  ['joe@a-b.example.com'],
  ['joe@a--b.example.com'],
  ['joe@xn--bcher-kva.example'],
  ['joe@example.c'],
  ['joe@example.123'],
  ['joe@1example.com'],
  ['joe@a.b.c.d.e.f.g.h'],
  ['"joe bloggs"@example.com', 'a quoted local part'],
  ['"joe..bloggs"@example.com'],
  ['".joe."@example.com'],
  ['"joe@bloggs"@example.com'],
  ['"a,b;c:d<e>f(g)h[i]"@example.com'],
  ['" "@example.com'],
  ['"  joe  "@example.com'],
  ['""@example.com', 'an empty quoted local part'],
  ['"a\\"b"@example.com', 'a quoted quote'],
  ['"a\\\\b"@example.com', 'a quoted backslash'],
  ['"a\\b"@example.com', 'a quoted letter'],
  ['"\\ "@example.com', 'a quoted space'],
  ['"joe"@[127.0.0.1]'],
  ['joe@[127.0.0.1]'],
  ['joe@[0.0.0.0]'],
  ['joe@[255.255.255.255]'],
  ['joe@[127.000.000.001]', 'one to three digits'],
  ['joe@[IPv6:::1]'],
  ['joe@[IPv6:::]'],
  ['joe@[ipv6:::1]', 'a tag in other case'],
  ['joe@[IPv6:1:2:3:4:5:6:7:8]'],
  ['joe@[IPv6:2001:db8::ff00:42:8329]'],
  ['joe@[IPv6:2001:DB8:0000:0000:0000:ff00:0042:8329]'],
  ['joe@[IPv6:1:2:3:4:5:6::]'],
  ['joe@[IPv6:::3:4:5:6:7:8]'],
  ['joe@[IPv6:1:2:3:4:5:6:192.168.0.1]'],
  ['joe@[IPv6:::192.168.0.1]'],
  ['joe@[IPv6:::ffff:192.168.0.1]'],
  ['joe@[IPv6:1:2::192.168.0.1]'],
  ['joe@[tag:content]', 'a general literal'],
  ['joe@[x-400:c=pl;a=x!]', 'a general literal with signs'],
  [long(254, '@example.com'), 'a local part of 242'],
  [`${'a'.repeat(64)}@example.com`, 'a local part of 64'],
  [`${'a'.repeat(65)}@example.com`, 'a local part of 65'],
  [`joe@${'a'.repeat(63)}.com`, 'a label of 63'],
  [`joe@${'a'.repeat(64)}.com`, 'a label of 64'],
  [`a@${'b'.repeat(252)}`, 'a label of 252'],
  [`${'a.'.repeat(120)}a@example.com`, '121 atoms'],
  [`"${'a'.repeat(240)}"@example.com`, '254 with a quoted local part'],
]
for (const [email, name] of valid)
  test(`valid: ${name ?? email}`, async () => {
    assert.ok(isMailbox(email), 'the table and the grammar disagree')
    const first = await register(email)
    assertStatus(first, 201)
    assert.equal(first.body.email, email)
    const again = await register(email)
    assertStatus(again, 200)
    assert.equal(again.body.email, email)
    const found = await ask(lookups(shop.owner.campaignId), email)
    assertStatus(found, 200)
    assert.equal(found.body.email, email)
  })

const invalid: [string, string?][] = [
  ['', 'empty'],
  ['joe'],
  ['@'],
  ['@example.com'],
  ['joe@'],
  ['joe@@example.com'],
  ['joe@bloggs@example.com'],
  ['joe bloggs@example.com'],
  ['.joe@example.com'],
  ['joe.@example.com'],
  ['joe..bloggs@example.com'],
  ['joe@.example.com'],
  ['joe@example.com.'],
  ['joe@example..com'],
  ['joe@.'],
  ['joe@-example.com'],
  ['joe@example-.com'],
  ['joe@example.-com'],
  ['joe@example.com-'],
  ['joe@-'],
  ['joe@ex_ample.com', 'an underscore in the domain'],
  ['joe@_dmarc.example.com'],
  ['joe@exa mple.com'],
  ['joe@example,com'],
  ['joe@example.com/'],
  ['joe@example.com:25'],
  ['joe@invalid=domain.com'],
  ['joe@exam!ple.com'],
  ['joe@*.example.com'],
  ['joe,bloggs@example.com'],
  ['joe;bloggs@example.com'],
  ['joe:bloggs@example.com'],
  ['joe<bloggs@example.com'],
  ['joe(comment)@example.com'],
  ['joe@example.com(comment)'],
  ['joe[1]@example.com'],
  ['joe\\bloggs@example.com'],
  ['joe\\@bloggs@example.com'],
  ['<joe@example.com>'],
  ['Joe <joe@example.com>'],
  ['"Winston Smith" <winston.smith@recdep.minitrue>'],
  ['mailto:joe@example.com'],
  ['joe@example.com,ann@example.com'],
  ['joe@example.com ann@example.com'],
  ['"joe@example.com', 'an open quote'],
  ['joe"@example.com', 'a quote at the end'],
  ['"joe"bloggs@example.com', 'text behind a quoted part'],
  ['joe"bloggs"@example.com', 'text before a quoted part'],
  ['"joe".bloggs@example.com', 'a quoted part and an atom'],
  ['joe."bloggs"@example.com', 'an atom and a quoted part'],
  ['"a"b"@example.com', 'a bare quote within quotes'],
  ['"a\\"@example.com', 'the last quote is quoted'],
  ['"joe" @example.com', 'a space behind quotes'],
  ['"joe"', 'a quoted local part alone'],
  ['"a\u0000b"@example.com', 'a zero in quotes'],
  ['"a\tb"@example.com', 'a tab in quotes'],
  ['"a\nb"@example.com', 'a line break in quotes'],
  ['"a\u001fb"@example.com', 'U+001F in quotes'],
  ['"a\u007fb"@example.com', 'U+007F in quotes'],
  ['"a\\\u007fb"@example.com', 'U+007F as a quoted pair'],
  ['"a\\\tb"@example.com', 'a tab as a quoted pair'],
  ['"a\u00e9b"@example.com', 'beyond ASCII in quotes'],
  ['joe@[127.0.0.1', 'an open literal'],
  ['joe@127.0.0.1]', 'a literal without its start'],
  ['joe@[]'],
  ['joe@[127.0.0]'],
  ['joe@[127.0.0.1.1]'],
  ['joe@[127.0.0.256]'],
  ['joe@[127.0.0.0001]'],
  ['joe@[127.0.0.]'],
  ['joe@[ 127.0.0.1 ]'],
  ['joe@[127.0.0.1].com'],
  ['joe@x[127.0.0.1]'],
  ['joe@[::1]', 'IPv6 without its tag'],
  ['joe@[1:]', 'a tag without content'],
  ['joe@[:content]', 'content without a tag'],
  ['joe@[IPv6:]', 'IPv6 without an address'],
  ['joe@[tag-:content]', 'a tag that ends in a hyphen'],
  ['joe@[t_g:content]', 'an underscore in a tag'],
  ['joe@[tag:con tent]'],
  ['joe@[tag:con[tent]'],
  ['joe@[tag:con]tent]'],
  ['joe@[tag:con\\tent]'],
  ['joe@[tag:conten\u0142]', 'beyond ASCII in a general literal'],
  ['joe@[example.com]'],
  [' joe@example.com', 'a space before'],
  ['joe@example.com ', 'a space behind'],
  ['\tjoe@example.com', 'a tab before'],
  ['joe@example.com\n', 'a line feed behind'],
  ['joe@example.com\r\n', 'a line break behind'],
  ['\njoe@example.com', 'a line feed before'],
  ['joe@example.com\nBcc: ann@example.com', 'a second line'],
  ['joe\n@example.com', 'a line feed within'],
  ['joe@example.com\u00a0', 'a no-break space behind'],
  ['\ufeffjoe@example.com', 'a byte order mark before'],
  ['joe\u200b@example.com', 'a zero-width space'],
  ['joe\u0000@example.com', 'a zero'],
  ['joe@example.com\u0000', 'a zero behind'],
  ['joe\u007f@example.com', 'U+007F'],
  ['joe@exam\u007fple.com', 'U+007F in the domain'],
  ['\u017c\u00f3\u0142w@example.com', 'Polish letters'],
  ['joe@\u017c\u00f3\u0142w.pl', 'Polish letters in the domain'],
  ['\uff4aoe@example.com', 'a full-width letter'],
  ['joe\uff20example.com', 'a full-width at sign'],
  ['joe@example\u3002com', 'an ideographic full stop'],
  ['\u212a@example.com', 'the Kelvin sign'],
  ['joe@\u212a.com', 'the Kelvin sign in the domain'],
  ['joe@\u017f.com', 'a long s in the domain'],
  ['joe@example.\u0661', 'an Arabic digit'],
  ['\u{1f30d}@example.com', 'an emoji'],
  ['\ud800@example.com', 'half a surrogate pair'],
  ['jo\u0065\u0301@example.com', 'a combining accent'],
  [long(255, '@example.com'), '255 characters'],
  [`"${'a'.repeat(241)}"@example.com`, '255 with a quoted local part'],
  [`a@${'b'.repeat(253)}`, '255 with a long domain'],
  [long(8000, '@example.com'), '8,000 characters'],
  [`${'a.'.repeat(4000)}@example.com`, 'what slow patterns choke on'],
  [`a@${'a-'.repeat(4000)}`, 'hyphens that slow patterns choke on'],
]
for (const [email, name] of invalid)
  test(`invalid: ${name ?? email}`, async () => {
    assert.ok(!isMailbox(email), 'the table and the grammar disagree')
    assertError(await register(email), 422, 'VALIDATION_ERROR')
    assertError(await ask(lookups(shop.owner.campaignId), email), 422, 'VALIDATION_ERROR')
  })

test('control characters, escaped: refused as an email; raw: refused as JSON', async () => {
  for (let code = 0; code < 32; code += 1) {
    const escaped = `\\u${code.toString(16).padStart(4, '0')}`
    const body = (character: string) => `{"email":"joe${character}@example.com"}`
    const send = (text: string) =>
      call(shop.server, 'POST', leads(shop.owner.campaignId), { key: shop.owner.key, body: text })
    assertError(await send(body(escaped)), 422, 'VALIDATION_ERROR')
    assertError(await send(body(String.fromCharCode(code))), 400, 'INVALID_JSON')
  }
})

test('addresses that differ in a byte are different leads', async () => {
  const written = [
    'byte@example.com',
    'Byte@example.com',
    'BYTE@example.com',
    'byte@Example.com',
    'byte@EXAMPLE.COM',
    'byte+1@example.com',
    'byte+2@example.com',
    'b.yte@example.com',
    '"byte"@example.com',
    'byte@[127.0.0.1]',
    'byte@[127.0.0.01]',
  ]
  const timers = new Set<string>()
  for (const email of written) {
    const answer = await register(email)
    assertStatus(answer, 201)
    assert.equal(answer.body.email, email)
    timers.add(answer.body.mailTimerUrl)
  }
  assert.equal(timers.size, written.length)
})

const letter = fc.constantFrom(...'abcXYZ019')
const some = (character: fc.Arbitrary<string>, maxLength = 12) =>
  fc.string({ unit: character, minLength: 1, maxLength })
const atom = some(fc.constantFrom(..."abcXYZ019!#$%&'*+-/=?^_`{|}~"))
const quotedCharacter = fc.oneof(
  fc.integer({ min: 32, max: 126 }).map((code) => {
    const character = String.fromCharCode(code)
    return character === '"' || character === '\\' ? `\\${character}` : character
  }),
  fc.integer({ min: 32, max: 126 }).map((code) => `\\${String.fromCharCode(code)}`),
)
const localPart = fc.oneof(
  fc.array(atom, { minLength: 1, maxLength: 4 }).map((atoms) => atoms.join('.')),
  fc.array(quotedCharacter, { maxLength: 20 }).map((text) => `"${text.join('')}"`),
)
const label = fc
  .tuple(letter, fc.string({ unit: fc.constantFrom(...'aZ9-'), maxLength: 10 }), letter)
  .map((parts) => parts.join(''))
const domain = fc.oneof(
  fc.array(fc.oneof(label, letter), { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.')),
  fc.ipV4().map((address) => `[${address}]`),
)

test('every email that the grammar can make is accepted, and answered exactly as sent', async () => {
  await fc.assert(
    fc.asyncProperty(localPart, domain, async (local, host) => {
      const email = `${local}@${host}`
      const answer = await register(email)
      assert.ok(answer.status === 201 || answer.status === 200, `${email}: ${answer.raw}`)
      assert.equal(answer.body.email, email)
    }),
    { numRuns: amount(60, 200) },
  )
})

test('with one character changed an email is accepted only if it is still a Mailbox', async () => {
  const change = fc.tuple(
    fc.nat(),
    fc.constantFrom('replace', 'insert', 'remove'),
    fc.oneof(
      fc.integer({ min: 0, max: 160 }).map((code) => String.fromCharCode(code)),
      fc.constantFrom('@', '.', '"', '\\', '[', ']', '-', ' '),
    ),
  )
  await fc.assert(
    fc.asyncProperty(localPart, domain, change, async (local, host, [place, how, character]) => {
      const email = `${local}@${host}`
      const at = place % email.length
      const before = email.slice(0, at)
      const after = email.slice(how === 'insert' ? at : at + 1)
      const changed = before + (how === 'remove' ? '' : character) + after
      const { status } = await register(changed)
      assert.equal(status < 300, isMailbox(changed), JSON.stringify(changed))
    }),
    { numRuns: amount(150, 500) },
  )
})
