// The list of leads, page by page, as the panel asks for it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { campaignFile, owner } from '../support/lastcall.ts'
import { panelSession, plainServer } from '../support/panel-session.ts'

const mechanism = { startsOn: 'visit', deadline: { kind: 'after', period: 'P3D' } }

const { place, server } = await plainServer()

for (const step of ['search', 'export']) {
  test(`${step}: in the order of deadlines the pages go on among leads that have none yet`, async () => {
    const { accountId, campaignId } = await owner(place, campaignFile({ mechanism }))
    const ask = await panelSession(place, server, accountId)
    const path = `/campaigns/${campaignId}/leads`
    const waiting = Array.from({ length: 5 }, (_, index) => `lead-${index}@example.com`)
    await ask('POST', `${path}/import`, { emails: waiting })
    const { body } = await ask('POST', path, { email: 'by-hand@example.com' })
    await ask('PUT', `${path}/${body.ref}/deadline`, { at: '2099-12-31T23:59' })

    for (const state of [null, 'pending']) {
      const found: string[] = []
      let next = { afterEmail: '' as string | null, afterDeadline: null }
      while (next.afterEmail !== null) {
        const search = { prefix: '', state, sort: 'deadline', limit: 2, ...next }
        const { status, body } = await ask('POST', `${path}/${step}`, search)
        assert.equal(status, 200, JSON.stringify(body))
        found.push(...body.leads.map(({ email }: { email: string }) => email))
        next = { afterEmail: body.afterEmail, afterDeadline: body.afterDeadline }
      }
      assert.deepEqual(found, state === null ? ['by-hand@example.com', ...waiting] : waiting)
    }
  })
}
