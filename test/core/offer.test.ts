import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { offerWriter } from '../../src/core/offer.ts'

const facts = {
  email: 'ada@example.com',
  ref: '9b2f60c14be14f0f8f4c1d6f2f7a35c8',
  registeredAt: 0,
  deadline: 60,
  language: 'pl',
  created: undefined,
} as const

/** Of every range that UTF-8 writes in another length, and what JSON itself escapes. */
const unit = fc.oneof(
  fc.constantFrom('é', '"', '\\', '/', '\u007f', '\u0080'),
  fc.string({ unit: 'binary', maxLength: 1 }),
)
const anyText = fc.string({ unit })

test('an offer is ASCII, and says what the campaign says, whatever letters that has', () => {
  fc.assert(
    fc.property(anyText, anyText, (pageUrl, publicUrl) => {
      const campaign = {
        id: 1,
        isDraft: false,
        timeZone: 'Europe/Warsaw',
        pages: [{ id: 7, pageUrl, eligible: true }],
        mailTimer: {},
      }
      const text = offerWriter(campaign, { publicUrl, countdownTools: true })(facts)
      assert.equal(Buffer.byteLength(text), text.length)
      const { offerLinks, mailTimerUrl } = JSON.parse(text)
      assert.deepEqual(offerLinks, [{ pageId: 7, pageUrl, url: `${publicUrl}/go/7/${facts.ref}` }])
      assert.equal(mailTimerUrl, `${publicUrl}/timer/pl/${facts.ref}.gif`)
    }),
  )
})
