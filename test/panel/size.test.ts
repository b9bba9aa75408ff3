// What a browser loads before the panel can be used.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { someOf } from '../support/faults.ts'
import { campaignFile } from '../support/lastcall.ts'
import { sharedStage } from './stage.ts'

const mostBytes = 200_000
/** More than what the overview has loaded. */
const mostForResults = 120_000

/** Compressed scripts by their address. */
async function scriptsOf(page: Page): Promise<Map<string, number>> {
  await page.waitForLoadState('networkidle')
  const loaded = await page.evaluate(() =>
    (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
      .filter(({ name }) => name.endsWith('.js'))
      .map(({ name, encodedBodySize, decodedBodySize }) => ({ name, encodedBodySize, decodedBodySize })),
  )
  assert.ok(loaded.length > 0)
  for (const { name, encodedBodySize, decodedBodySize } of loaded) {
    assert.ok(decodedBodySize < 2_000 || encodedBodySize < decodedBodySize / 2, `${name} is not compressed`)
  }
  return new Map(loaded.map(({ name, encodedBodySize }) => [name, encodedBodySize]))
}

/** A script that the document does not name is asked for when others have run: a third of a second later on a phone. */
async function assertNamed(url: string, scripts: Map<string, number>): Promise<void> {
  const document = await (await fetch(url, { headers: { Accept: 'text/html' } })).text()
  for (const name of scripts.keys()) assert.ok(document.includes(new URL(name).pathname), name)
}

const sum = (scripts: Map<string, number>) => [...scripts.values()].reduce((total, bytes) => total + bytes, 0)

test('the first load is at most 200 kB of compressed script, and the results at most 120 kB more', async (t) => {
  const stage = await sharedStage()
  const owner = await stage.person('owner')
  const apply = ['campaign', 'apply', '--account', String(owner.accountId), '-']
  const { id } = await stage.place.json(apply, campaignFile({}))
  const loaded = new Map<string, Map<string, number>>()
  const first = [['/', owner], ['/sign-in'], ['/campaigns', owner]] as const
  let owners: Page | undefined
  for (const [path, who] of someOf(first, 1)) {
    const page = await stage.open(who, { path })
    if (who !== undefined) owners = page
    const scripts = await scriptsOf(page)
    loaded.set(path, scripts)
    t.diagnostic(`${path}: ${sum(scripts)} bytes in ${scripts.size} files`)
    assert.ok(sum(scripts) <= mostBytes, `${path}: ${sum(scripts)}`)
    if (path === '/campaigns') await assertNamed(stage.server.origin + path, scripts)
  }
  await owners?.goto(`/campaigns/${id}/results`)
  const results = await scriptsOf(owners as Page)
  const more = new Map([...results].filter(([name]) => !loaded.get('/')?.has(name)))
  t.diagnostic(`results: ${sum(more)} bytes more in ${more.size} files`)
  assert.ok(sum(more) <= mostForResults, `results: ${sum(more)}`)
})
