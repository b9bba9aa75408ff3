// What holds for every countdown image besides its pixels.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import omggif from 'omggif'
import sharp from 'sharp'
import { mailLanguages } from '../../src/core/mail-language.ts'
import { timerFonts } from '../../src/core/timer-font.ts'
import { fullTimerStyle, type GivenTimerStyle, timerPresets } from '../../src/core/timer-style.ts'
import { buildTemplate } from '../../src/countdown/build.ts'
import { transparentPicture } from '../../src/countdown/gif.ts'
import { openTemplate } from '../../src/countdown/packed.ts'
import { render } from '../../src/countdown/render.ts'
import { ENGINE_VERSION, type Template } from '../../src/countdown/template.ts'
import { makeScene, type Scene, typefacesOf } from '../support/countdown-drawing.ts'
import { decoders } from '../support/decoders.ts'
import { amount, isFull, someOf } from '../support/faults.ts'
import { readStrictly } from '../support/strict-gif.ts'
import { usualTemplate } from '../support/usual-templates.ts'

const usual = { pixelsPerPoint: 1 } as const
const scenes = { en: makeScene(usual, 'en'), pl: makeScene(usual, 'pl') }
const both = Object.values(scenes)

function gifOf({ template }: Pick<Scene, 'template'>, remainingMs: number): Uint8Array {
  const into = new Uint8Array(template.mostBytes)
  return into.subarray(0, render(template, remainingMs, into))
}

function firstPicture(gif: Uint8Array): Uint8Array {
  return (decoders.omggif?.(gif, 1).next().value ?? new Uint8Array()) as Uint8Array
}

const remaining = fc.oneof(fc.integer({ min: 1, max: 200_000 }), fc.integer({ min: 1, max: 10 ** 11 }))

test('each tick comes when a second of the deadline passes, to 5 ms', () => {
  fc.assert(
    fc.property(remaining, (remainingMs) => {
      const { frames } = readStrictly(gifOf(scenes.en, remainingMs))
      const left = Math.ceil(remainingMs / 1_000)
      assert.equal(frames.length, Math.min(60, left + 1))
      let at = 0
      for (const [index, { delay }] of frames.slice(0, -1).entries()) {
        assert.ok(delay >= 10 && delay <= 100, `a delay of ${delay}`)
        at += delay * 10
        const tick = remainingMs - (left - 1 - index) * 1_000
        // A first second that is almost over is shown for 100 ms, the least that is shown as it says.
        if (index > 0 || tick >= 100) assert.ok(Math.abs(at - tick) <= 5, `tick ${index} at ${at}, not ${tick}`)
      }
    }),
    { numRuns: amount(10, 150) },
  )
})

test('the first frame shows the seconds left, begun ones whole, to the millisecond', () => {
  for (const ms of [1, 2, 99, 100, 101, 999, 1_000, 1_001, 59_999, 60_000, 60_001, 86_400_000, 86_400_001]) {
    for (const scene of someOf(both, 1)) {
      const shown = firstPicture(gifOf(scene, ms))
      assert.equal(Buffer.compare(shown, scene.picture(Math.ceil(ms / 1_000))), 0, `${ms} ms left`)
    }
  }
})

test('from the deadline on there is one frame of zeros', () => {
  for (const ms of [0, -0, -0.5, -1, -1_000, -1e12]) {
    const gif = gifOf(scenes.pl, ms)
    assert.equal(readStrictly(gif).frames.length, 1)
    assert.equal(Buffer.compare(firstPicture(gif), scenes.pl.picture(0)), 0)
  }
})

test('no image asks to be played again', () => {
  for (const ms of [0, 1, 59_000, 10 ** 8]) {
    const gif = gifOf(scenes.en, ms)
    assert.equal(new omggif.GifReader(gif).loopCount(), null)
    assert.ok(!Buffer.from(gif).includes('NETSCAPE'))
  }
})

test('at most 30 kB in the usual size at one pixel per point, 60 kB at two, up to 99 days before the deadline', () => {
  const units = [...Array(60).keys()].filter((unit) => unit % amount(7, 1) === 0 || unit === 59)
  const moments = units.flatMap((unit) => [unit, unit * 60, unit * 3_600, unit * 86_400, 99 * 86_400])
  const sizes = moments.flatMap((left) =>
    both.flatMap((scene) => [0, 29, 58].map((on) => gifOf(scene, (left + on) * 1_000).length)),
  )
  assert.ok(Math.max(...sizes) <= 30_000, `${Math.max(...sizes)} bytes`)
  // The widest words; in the rare image in which an hour or a day ends they may bring it above.
  for (const language of isFull ? mailLanguages : (['pl'] as const)) {
    const style = fullTimerStyle({})
    const bytes = usualTemplate(style, language) ?? buildTemplate(style, language, typefacesOf(style.font, language))
    const fine = { template: openTemplate(bytes) as Template }
    const fineSizes = moments.map((left) => gifOf(fine, (285_871 + (left % 1_500)) * 1_000).length)
    assert.ok(Math.max(...fineSizes) <= 60_000, `${language}: ${Math.max(...fineSizes)} bytes`)
  }
})

test('a reused buffer leaves no trace, and nothing is written behind the image', () => {
  fc.assert(
    fc.property(remaining, fc.integer({ min: 0, max: 255 }), (remainingMs, junk) => {
      const { template } = scenes.pl
      const into = new Uint8Array(template.mostBytes + 16).fill(junk)
      const length = render(template, remainingMs, into)
      assert.deepEqual(into.subarray(0, length), gifOf(scenes.pl, remainingMs))
      assert.ok(into.subarray(length).every((byte) => byte === junk))
    }),
    { numRuns: amount(8, 100) },
  )
})

const colour = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}` as const)
const anyStyle: fc.Arbitrary<GivenTimerStyle> = fc.record(
  {
    font: fc.constantFrom(...timerFonts),
    background: colour,
    box: colour,
    digits: colour,
    labels: colour,
    showLabels: fc.boolean(),
    width: fc.integer({ min: 50, max: amount(70, 110) }).map((fourth) => fourth * 4),
    height: fc.integer({ min: 50, max: amount(70, 120) }),
    cornerRadius: fc.integer({ min: 0, max: 40 }),
    pixelsPerPoint: fc.constantFrom(1, 2),
    preset: fc.constantFrom(...timerPresets),
    uppercase: fc.boolean(),
    digitSize: fc.option(fc.integer({ min: 10, max: 160 })),
    labelSize: fc.option(fc.integer({ min: 6, max: 40 })),
    gap: fc.option(fc.integer({ min: 0, max: 40 })),
    labelTexts: fc.constantFrom({}, { days: 'T', hours: 'h', seconds: 'T' }),
    whenOver: fc.constantFrom({ show: 'zeros' as const }),
  },
  { requiredKeys: [] },
)

test('for any style and time both decoders show the right picture', () => {
  fc.assert(
    fc.property(
      anyStyle,
      fc.constantFrom(...mailLanguages),
      fc.array(remaining, { minLength: 3, maxLength: 3 }),
      (style, language, times) => {
        const scene = makeScene(style, language)
        for (const remainingMs of times) {
          const gif = gifOf(scene, remainingMs)
          readStrictly(gif)
          for (const [name, decode] of Object.entries(decoders)) {
            let left = Math.ceil(remainingMs / 1_000)
            for (const picture of decode(gif)) {
              assert.equal(Buffer.compare(picture, scene.picture(left)), 0, `${name}, ${left} left`)
              left--
            }
          }
        }
      },
    ),
    { numRuns: amount(1, 8) },
  )
})

test('bytes that are no template of this engine do not open', () => {
  const bytes = buildTemplate(
    fullTimerStyle({ width: 200, height: 50, pixelsPerPoint: 1 }),
    'en',
    typefacesOf('inter', 'en'),
  )
  assert.ok(openTemplate(bytes))
  const unaligned = new Uint8Array(bytes.length + 1)
  unaligned.set(bytes, 1)
  assert.ok(openTemplate(unaligned.subarray(1)), 'wherever in memory they lie')
  assert.equal(openTemplate(new Uint8Array()), undefined)
  assert.equal(openTemplate(bytes.subarray(0, -4)), undefined)
  for (const at of [0, 4, 8, 12, 40, 1_000, bytes.length - 1]) {
    const broken = bytes.slice()
    broken[at] = (broken[at] as number) ^ 1
    assert.equal(openTemplate(broken), undefined, `byte ${at} changed`)
  }
})

// If this fails by intent, ENGINE_VERSION must grow, or kept templates go on giving the old picture.
test('this engine version gives these bytes', () => {
  const hashes = both.map(({ template: { head, fragmentWords, frames } }) => {
    const hash = createHash('sha256').update(head).update(fragmentWords).update(frames)
    return hash.digest('hex').slice(0, 16)
  })
  assert.deepEqual([ENGINE_VERSION, ...hashes], [10, 'f39acfc6de7ba679', '09e67283e9faa9ae'])
})

test('a transparent picture has the size that was asked for, is seen through everywhere, and is 43 bytes', async () => {
  for (const [width, height] of [
    [600, 1],
    [600, 140],
    [1200, 280],
    [200, 51],
  ] as const) {
    const gif = transparentPicture(width, height)
    const size = [width, height, gif.length]
    for (const [name, picturesOf] of Object.entries(decoders)) {
      const pictures = [...picturesOf(gif)]
      assert.deepEqual([pictures.length, pictures[0]?.length], [1, width * height * 4], name)
      assert.ok(
        pictures[0]?.every((value, index) => index % 4 !== 3 || value === 0),
        name,
      )
    }
    const { data, info } = await sharp(gif).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
    assert.deepEqual([info.width, info.height, 43], size)
    assert.ok(data.every((value, index) => index % 4 !== 3 || value === 0))
  }
})
