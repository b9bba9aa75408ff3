import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { leadOffer } from '../../src/core/offer.ts'
import { character } from '../support/character.ts'

const facts = {
  email: 'ada@example.com',
  ref: '9b2f60c14be14f0f8f4c1d6f2f7a35c8',
  registeredAt: 0,
  deadline: 60,
  language: 'pl',
} as const

test('an offer has the addresses of the campaign unchanged, whatever letters they have', () => {
  fc.assert(
    fc.property(fc.string({ unit: character }), fc.string(), (pageUrl, publicUrl) => {
      const campaign = {
        id: 1,
        isDraft: false,
        timeZone: 'Europe/Warsaw',
        pages: [
          { id: 7, pageUrl, eligible: true },
          { id: 8, pageUrl, eligible: false },
        ],
        mailTimer: {},
      }
      const offer = leadOffer(campaign, facts, { publicUrl, countdownTools: true })
      assert.deepEqual(offer.offerLinks, [{ pageId: 7, pageUrl, url: `${publicUrl}/go/7/${facts.ref}` }])
      assert.equal(offer.mailTimerUrl, `${publicUrl}/timer/pl/${facts.ref}.gif`)
    }),
  )
})
