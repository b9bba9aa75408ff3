// What people write into a field: times and amounts, as either language has them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { inWords, readClock } from '../../panel/src/parts/written-dates.ts'
import { plainAmount } from '../../panel/src/screens/campaigns/results/sales-words.ts'

const languages = ['en', 'pl'] as const

test('a time is read in the panel’s own form, in full words, with zeros or without, and in figures', () => {
  const read = (text: string, language: 'en' | 'pl') => readClock('moment', text, language, '23:59')
  for (const [english, polish, value] of [
    ['5 Dec 2026, 09:05', '5 gru 2026, 09:05', '2026-12-05T09:05'],
    ['05 december 2026 9:05', '05 grudnia 2026 9:05', '2026-12-05T09:05'],
    ['31 October 2026, 00:30', '31 PAŹDZIERNIKA 2026, 0:30', '2026-10-31T00:30'],
    ['7 May 2026', '7 maja 2026', '2026-05-07T23:59'],
    ['1 March 2026', '1 marzec 2026', '2026-03-01T23:59'],
    ['05.12.2026', '5.12.2026', '2026-12-05T23:59'],
    ['05-01-2026 08:00', '5-1-2026, 8:00', '2026-01-05T08:00'],
    ['05/01/2026', '5/1/2026', '2026-01-05T23:59'],
    ['28.3.27 2:30', '28.03.27, 02:30', '2027-03-28T02:30'],
    ['28/03/2027 14.05', '28 marca 2027 14.05', '2027-03-28T14:05'],
    ['28 Mar 2027, 9', '28.03.2027 9', '2027-03-28T09:00'],
    ['1/2/05 00.05', '1.02.05 0.05', '2005-02-01T00:05'],
    // As the panel shows times, but for the offset, which may not be the field's.
    ['Thu, 31 Dec 2026, 23:59', 'czw., 31 gru 2026, 23:59', '2026-12-31T23:59'],
    ['Sunday 6 December, 2026', 'niedziela, 6 grudnia 2026 r.', '2026-12-06T23:59'],
    ['wednesday, 9.12.26 9:00', 'środa, 9.12.2026r., 9:00', '2026-12-09T09:00'],
    // As mails write it.
    ['25 November 2026 at 23:59', '25 listopada 2026 o 23:59', '2026-11-25T23:59'],
    ['25 November 2026 at 9', '25 listopada 2026, godz. 9:00', '2026-11-25T09:00'],
    ['25 November 2026 at 9:05', '25 listopada 2026 o godz. 9:05', '2026-11-25T09:05'],
    [' 2026-01-05  08:00 ', '2026-01-05T08:00', '2026-01-05T08:00'],
  ] as const) {
    assert.equal(read(english, 'en'), value, english)
    assert.equal(read(polish, 'pl'), value, polish)
  }
  for (const wrong of [
    '',
    'soon',
    '31.2.2026',
    '5 gru',
    '24:00',
    '2026-13-01',
    '26-12-05',
    '5.12.2026 24',
    '5.12.2026 9.5',
    '5.12',
    'Thu, 31 Dec 2026, 23:59 GMT+1',
    'someday, 31.12.2026',
  ]) {
    for (const language of languages) assert.equal(read(wrong, language), '', wrong)
  }
})

test('the panel reads every time that it shows', () => {
  const moments = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true })
  fc.assert(
    fc.property(moments, fc.constantFrom(...languages), (moment, language) => {
      const value = moment.toISOString().slice(0, 16)
      assert.equal(readClock('moment', inWords('moment', value, language), language, '12:00'), value)
      const day = value.slice(0, 10)
      assert.equal(readClock('day', inWords('day', day, language), language, ''), day)
    }),
  )
})

test('a time that clocks skip where the reader is can be written: the campaign may be elsewhere', (t) => {
  const before = process.env.TZ
  t.after(() => {
    if (before === undefined) delete process.env.TZ
    else process.env.TZ = before
  })
  for (const [zone, written, value] of [
    ['Europe/Warsaw', '28 Mar 2027, 02:30', '2027-03-28T02:30'],
    ['America/Santiago', '5 Sep 2027, 00:30', '2027-09-05T00:30'],
  ] as const) {
    process.env.TZ = zone
    assert.equal(readClock('moment', written, 'en', '12:00'), value)
    assert.equal(inWords('moment', value, 'en'), written)
  }
})

test('an amount is read with spaces between thousands and a comma', () => {
  for (const written of ['1234.50', '1234,50', '1 234,50', '1\u00a0234,50', ' 1\u202f234.50 ']) {
    assert.equal(plainAmount(written), '1234.50', written)
  }
  // What could be two things is left to the service, which refuses it.
  for (const written of ['1,234', '1,234.50', '1,234,5.0']) assert.equal(plainAmount(written), written)
})
