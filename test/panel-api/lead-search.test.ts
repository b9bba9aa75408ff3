// The list of leads, page by page, as the panel asks for it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { campaignFile, owner } from '../support/lastcall.ts'
import { panelSession, plainServer } from '../support/panel-session.ts'

const mechanism = { startsOn: 'visit', deadline: { kind: 'after', period: 'P3D' } }

const { place, server } = await plainServer()

/** Every page, one lead or two at a time. */
async function allPages(ask: Awaited<ReturnType<typeof panelSession>>, path: string, search: object) {
  const found: string[] = []
  let next = { afterEmail: '' as string | null, afterDeadline: null }
  while (next.afterEmail !== null) {
    const { status, body } = await ask('POST', path, { prefix: '', state: null, limit: 2, ...search, ...next })
    assert.equal(status, 200, JSON.stringify(body))
    found.push(...body.leads.map(({ email }: { email: string }) => email.split('@')[0]))
    next = { afterEmail: body.afterEmail, afterDeadline: body.afterDeadline }
  }
  return found
}

for (const [kind, deadline, shared] of [
  ['fixed', { kind: 'fixed', at: '2060-06-01T12:00' }, 'in the middle'],
  ['none', { kind: 'none' }, 'last'],
] as const)
  test(`deadlines set by hand in a campaign of the kind ${kind} are in order, and all others ${shared}`, async () => {
    const { accountId, campaignId } = await owner(
      place,
      campaignFile({ mechanism: { startsOn: 'registration', deadline } }),
    )
    const ask = await panelSession(place, server, accountId)
    const path = `/campaigns/${campaignId}/leads`
    const others = ['a', 'h', 'z']
    const byHand = { b: '2070', c: '2050', i: '2051', y: '2071', x: '2052' }
    const emails = [...others, ...Object.keys(byHand)].map((name) => `${name}@example.com`)
    await ask('POST', `${path}/import`, { emails })
    for (const [name, year] of Object.entries(byHand)) {
      const { body } = await ask('POST', path, { email: `${name}@example.com` })
      await ask('PUT', `${path}/deadlines`, { refs: [body.ref], to: `${year}-01-01T12:00` })
    }
    const [early, late] = [
      ['c', 'i', 'x'],
      ['b', 'y'],
    ]
    const isMiddle = kind === 'fixed'
    const rising = isMiddle ? [...early, ...others, ...late] : [...early, ...late, ...others]
    const [lateFirst, earlyLast] = [late.toReversed(), early.toReversed()]
    const falling = isMiddle ? [...lateFirst, ...others, ...earlyLast] : [...lateFirst, ...earlyLast, ...others]
    for (const limit of [1, 2, 100])
      for (const state of [null, 'open']) {
        assert.deepEqual(await allPages(ask, `${path}/search`, { sort: 'deadline', limit, state }), rising)
        assert.deepEqual(await allPages(ask, `${path}/search`, { sort: '-deadline', limit, state }), falling)
      }
    assert.deepEqual(await allPages(ask, `${path}/search`, { sort: 'deadline', prefix: 'h' }), ['h'])
  })

for (const step of ['search', 'export']) {
  test(`${step}: in the order of deadlines the pages go on among leads that have none yet`, async () => {
    const { accountId, campaignId } = await owner(place, campaignFile({ mechanism }))
    const ask = await panelSession(place, server, accountId)
    const path = `/campaigns/${campaignId}/leads`
    const names = Array.from({ length: 5 }, (_, index) => `lead-${index}`)
    await ask('POST', `${path}/import`, { emails: names.map((name) => `${name}@example.com`) })
    const { body } = await ask('POST', path, { email: 'by-hand@example.com' })
    await ask('PUT', `${path}/deadlines`, { refs: [body.ref], to: '2099-12-31T23:59' })

    for (const state of [null, 'pending']) {
      const found = await allPages(ask, `${path}/${step}`, { sort: 'deadline', state })
      assert.deepEqual(found, state === null ? ['by-hand', ...names] : names)
    }
  })
}
