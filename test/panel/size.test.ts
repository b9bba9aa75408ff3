// What a browser loads before the panel can be used.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { panelStage } from './stage.ts'

const mostBytes = 200_000

test('the first load is at most 200 kB of compressed script, on every first screen', async (t) => {
  const stage = await panelStage({ after })
  const owner = await stage.person('owner')
  for (const [path, who] of [['/sign-in'], ['/', owner], ['/campaigns', owner]] as const) {
    const page = await stage.open(who, { path })
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
    const bytes = loaded.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
    t.diagnostic(`${path}: ${bytes} bytes in ${loaded.length} files`)
    assert.ok(bytes <= mostBytes, `${path}: ${bytes}`)
  }
})
