import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fullTimerStyle, type TimerStyle, timerPresets } from '../../src/core/timer-style.ts'
import { buildTemplate } from '../../src/countdown/build.ts'
import { openTypefaces } from '../../src/countdown/fonts.ts'
import { openTemplate } from '../../src/countdown/packed.ts'
import { render } from '../../src/countdown/render.ts'
import type { Template } from '../../src/countdown/template.ts'
import { openTemplates, type PersistentCache, TemplateUnavailable, templateKey } from '../../src/countdown/templates.ts'
import { typefacesOf } from '../support/countdown-drawing.ts'
import { longTest } from '../support/faults.ts'

const small = { width: 200, height: 50, pixelsPerPoint: 1 as const }
const builtHere = buildTemplate(fullTimerStyle(small), 'en', openTypefaces('inter', 'en'))

function bytesOf(template: Template, remainingMs = 10 ** 8): Buffer {
  const into = Buffer.alloc(template.mostBytes)
  return into.subarray(0, render(template, remainingMs, into))
}

const now = () => Math.floor(Date.now() / 1_000)

function memoryShelf() {
  const stored = new Map<string, Uint8Array>()
  const read: string[] = []
  const written: string[] = []
  const cache: PersistentCache = {
    async read(key) {
      read.push(key)
      return stored.get(key)
    },
    write: async (key, template) => {
      written.push(key)
      stored.set(key, template)
    },
  }
  return { stored, read, written, cache }
}

// That the template is the same is seen below too, where a broken one is replaced.
longTest('a template from the thread gives the image that one built here gives', async () => {
  const templates = openTemplates(undefined, now)
  const template = await templates.get(small, 'en')
  assert.deepEqual(bytesOf(template), bytesOf(openTemplate(builtHere) as Template))
  await templates.close()
})

test('the event loop turns while a template is built', async () => {
  const templates = openTemplates(undefined, now)
  let longest = 0
  let last = performance.now()
  const watch = setInterval(() => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
  }, 1)
  const begun = performance.now()
  await templates.get({ pixelsPerPoint: 2 }, 'pl')
  clearInterval(watch)
  const took = performance.now() - begun
  assert.ok(longest < took / 2, `held up for ${longest} of ${took} ms`)
  await templates.close()
})

test('a template that was asked for before is in memory; asked for twice at once, it is built once', async () => {
  const { cache, read, written } = memoryShelf()
  const templates = openTemplates(cache, now)
  const [first, second] = await Promise.all([templates.get(small, 'en'), templates.get({ ...small }, 'en')])
  assert.equal(first, second)
  assert.equal(await templates.get({ ...small }, 'en'), first)
  assert.deepEqual(read, [templateKey(small, 'en')])
  assert.deepEqual(written, [templateKey(small, 'en')])
  await templates.close()
})

test('a stored template is used; a broken one is built again and replaced', async () => {
  const { cache, stored, written } = memoryShelf()
  const key = templateKey(small, 'en')
  // The second begins where no number does.
  for (const template of [builtHere, Buffer.concat([Buffer.alloc(1), builtHere]).subarray(1)]) {
    stored.set(key, template)
    await openTemplates(cache, now).get(small, 'en')
    assert.deepEqual(written, [])
  }

  stored.set(key, builtHere.subarray(0, 1_000))
  const templates = openTemplates(cache, now)
  await templates.get(small, 'en')
  assert.deepEqual(written, [key])
  assert.deepEqual(openTemplate(stored.get(key) as Uint8Array), openTemplate(builtHere))
  await templates.close()
})

test('a cache that fails does not keep an image from being shown', async () => {
  const broken = () => Promise.reject(new Error('disk'))
  const templates = openTemplates({ read: broken, write: broken }, now)
  assert.ok(await templates.get(small, 'en'))
  await templates.close()
})

test('the template that nobody has asked for the longest is forgotten when memory is short', async () => {
  const { cache, stored, read } = memoryShelf()
  const styles = [1, 2, 3].map((radius) => ({ ...small, cornerRadius: radius }))
  for (const style of styles) stored.set(templateKey(style, 'en'), builtHere)
  const templates = openTemplates(cache, now, { memoryBytes: builtHere.length * 2 })
  const [a, b, c] = styles as [object, object, object]
  await templates.get(a, 'en')
  await templates.get(b, 'en')
  await templates.get(a, 'en')
  await templates.get(c, 'en')
  for (const style of [a, c, b]) await templates.get(style, 'en')
  assert.deepEqual(
    read,
    [a, b, c, b].map((style) => templateKey(style, 'en')),
  )
})

test('a template that two previews read at once is counted once in memory', async () => {
  const { cache, stored, read } = memoryShelf()
  const styles = [1, 2].map((radius) => ({ ...small, cornerRadius: radius }))
  for (const style of styles) stored.set(templateKey(style, 'en'), builtHere)
  const templates = openTemplates(cache, now, { memoryBytes: builtHere.length * 2 })
  const [a, b] = styles as [object, object]
  const noTurn = () => Promise.reject(new Error('is stored'))
  const [first, second] = await Promise.all([templates.preview(a, 'en', noTurn), templates.preview(a, 'en', noTurn)])
  assert.equal(first, second)
  await templates.get(b, 'en')
  read.length = 0
  await templates.get(a, 'en')
  assert.deepEqual(read, [])
})

test('too many builds at once, one that takes too long, and one after closing are refused', async () => {
  const templates = openTemplates(undefined, now, { waitingBuilds: 1, buildMs: 1 })
  const first = templates.get(small, 'en')
  await assert.rejects(Promise.resolve(templates.get(small, 'pl')), /too many countdown images are waiting to be built/)
  await assert.rejects(Promise.resolve(first), TemplateUnavailable)
  await assert.rejects(Promise.resolve(templates.get(small, 'pl')), /cut short/)
  await templates.close()
  await assert.rejects(Promise.resolve(templates.get(small, 'pl')), TemplateUnavailable)
})

test('stored templates are read however many are asked for at once', async () => {
  const { cache, stored } = memoryShelf()
  const styles = [1, 2, 3].map((cornerRadius) => ({ ...small, cornerRadius }))
  for (const style of styles) stored.set(templateKey(style, 'en'), builtHere)
  const templates = openTemplates(cache, now, { waitingBuilds: 1 })
  assert.equal((await Promise.all(styles.map((style) => templates.get(style, 'en')))).length, 3)
})

test('closing ends the build that is running', async () => {
  const templates = openTemplates(undefined, now)
  const waiting = [templates.get(small, 'en'), templates.get(small, 'pl')]
  setTimeout(() => void templates.close(), 20)
  for (const one of waiting) await assert.rejects(Promise.resolve(one), TemplateUnavailable)
})

/** Of each setting another value than the usual one. */
const others: TimerStyle = {
  ...{ preset: 'flip', font: 'lato', background: '#000000', box: '#000000', digits: '#000000', labels: '#000000' },
  ...{ showLabels: false, units: ['days', 'hours'], labelTexts: { days: 'd' }, uppercase: true },
  ...{ digitSize: 10, labelSize: 6, gap: 40, width: 204, height: 51, cornerRadius: 3, pixelsPerPoint: 2 },
  whenOver: { show: 'nothing' },
}

test('each setting and preset changes the picture, and the key stands for all that it depends on and nothing else', () => {
  const key = templateKey({}, 'en')
  assert.equal(templateKey(fullTimerStyle({}), 'en'), key)
  assert.equal(templateKey({ digits: '#FFFFFF' }, 'en'), key)
  assert.notEqual(templateKey({}, 'pl'), key)
  const styles = [
    {},
    ...Object.entries(others).map(([name, value]) => ({ [name]: value })),
    { labelTexts: { days: 'D' } },
    ...timerPresets.filter((preset) => preset !== 'boxes' && preset !== 'flip').map((preset) => ({ preset })),
  ].map((style) => fullTimerStyle({ ...small, ...style }))
  const pictures = styles.map((style) => {
    const template = openTemplate(buildTemplate(style, 'en', typefacesOf(style.font, 'en'))) as Template
    return [10 ** 8, 0].map((remainingMs) => bytesOf(template, remainingMs).toString('hex')).join()
  })
  assert.equal(new Set(pictures).size, styles.length)
  assert.equal(new Set(styles.map((style) => templateKey(style, 'en'))).size, styles.length)
})
