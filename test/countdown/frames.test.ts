// Every picture that a countdown image shows, held against a drawing of what it has to show.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Language } from '../../src/core/offer.ts'
import type { GivenTimerStyle } from '../../src/core/timer-style.ts'
import { render } from '../../src/countdown/render.ts'
import { makeScene, type Scene } from '../support/countdown-drawing.ts'
import { decoders } from '../support/decoders.ts'
import { amount, isFull } from '../support/faults.ts'
import { readStrictly } from '../support/strict-gif.ts'

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400]

function gifOf({ template }: Scene, secondsLeft: number): Uint8Array {
  const into = new Uint8Array(template.mostBytes)
  return into.subarray(0, render(template, secondsLeft * 1_000, into))
}

/** Fails on the first pixel that differs in one of the frames, as each of the two decoders shows them. */
function assertShows(scene: Scene, secondsLeft: number, mostFrames = 60): void {
  const gif = gifOf(scene, secondsLeft)
  const frames = Math.min(mostFrames, secondsLeft + 1)
  for (const [name, decode] of Object.entries(decoders)) {
    let left = secondsLeft
    for (const picture of decode(gif, mostFrames)) assertSame(picture, scene.picture(left), `${name}, ${left--} left`)
    assert.equal(secondsLeft - left, frames, `frames that ${name} finds`)
  }
}

function assertSame(shown: Uint8Array, expected: Uint8Array, where: string): void {
  assert.equal(Buffer.compare(shown, expected), 0, `another picture: ${where}`)
}

const anyMoment = 12 * DAY + 7 * HOUR + 25 * MINUTE

for (const language of ['en', 'pl'] as const) {
  const scene = makeScene({}, language)

  const step = amount(11, 1)
  test(`${language}: 60 right frames from any second of a minute on`, () => {
    for (let second = 0; second < 60; second += step) assertShows(scene, anyMoment + second)
  })

  test(`${language}: from any second of the last minute on, down to zero and no further`, () => {
    for (let left = 0; left < 60; left += step) assertShows(scene, left)
  })

  test(`${language}: every minute, hour and day gives way to the one before`, () => {
    const turns = [
      ...Array.from({ length: 59 }, (_, index) => (index + 1) * MINUTE),
      ...Array.from({ length: 23 }, (_, index) => (index + 1) * HOUR),
      ...Array.from({ length: 105 }, (_, index) => (index + 1) * DAY),
      ...[110, 199, 200, 201, 365, 900, 998, 999, 1_000, 1_001, 40_000].map((days) => days * DAY),
    ]
    for (const [index, turn] of turns.entries()) if (index % amount(5, 1) === 0) assertShows(scene, turn + 1, 4)
  })

  test(`${language}: a strict reader finds no fault in any stream`, () => {
    for (let second = 0; second < 60; second += step) readStrictly(gifOf(scene, anyMoment + second))
    for (let minute = 1; minute < 60; minute += step) readStrictly(gifOf(scene, minute * MINUTE))
    for (let hour = 1; hour < 24; hour++) readStrictly(gifOf(scene, hour * HOUR))
    for (let day = 1; day < 105; day += step) readStrictly(gifOf(scene, day * DAY))
  })
}

const styles: [what: string, language: Language, style: GivenTimerStyle][] = [
  ['two pixels per point', 'en', { pixelsPerPoint: 2 }],
  ['two pixels per point', 'pl', { pixelsPerPoint: 2 }],
  ['no labels', 'en', { showLabels: false, pixelsPerPoint: 2, width: 400, height: 80 }],
  ['the smallest', 'pl', { width: 200, height: 50, cornerRadius: 40 }],
  ['high and narrow', 'pl', { width: 200, height: 200, font: 'oswald', cornerRadius: 0 }],
  ['wide and low', 'en', { width: 600, height: 50, font: 'montserrat' }],
  ['one colour only', 'en', { background: '#777777', box: '#777777', digits: '#777777', labels: '#777777' }],
  ['letters of one width', 'pl', { font: 'roboto-mono', width: 320, height: 96 }],
  ['lato', 'pl', { font: 'lato', width: 404, height: 90 }],
  ['roboto', 'en', { font: 'roboto', width: 300, height: 101 }],
]

for (const [what, language, style] of isFull ? styles : styles.slice(1)) {
  test(`right in another style: ${what}, ${language}`, () => {
    const scene = makeScene(style, language)
    for (const left of [anyMoment + 37, 2 * DAY + 30]) assertShows(scene, left, amount(6, 60))
    for (const left of [MINUTE, HOUR, 23 * HOUR, DAY, 2 * DAY, 100 * DAY, 101 * DAY, 365 * DAY]) {
      assertShows(scene, left + 1, 3)
      readStrictly(gifOf(scene, left))
    }
  })
}
