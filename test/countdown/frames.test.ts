// Every picture that a countdown image shows, held against a drawing of what it has to show.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { type MailLanguage, mailLanguages } from '../../src/core/mail-language.ts'
import { fullTimerStyle, type GivenTimerStyle, type TimerUnit, timerPresets } from '../../src/core/timer-style.ts'
import { render } from '../../src/countdown/render.ts'
import { timeLeft } from '../../src/countdown/time-left.ts'
import { decode } from '../support/countdown.ts'
import { makeScene, type Scene, shownValues } from '../support/countdown-drawing.ts'
import { decoders } from '../support/decoders.ts'
import { amount, isFull, someOf } from '../support/faults.ts'
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

const plain = { pixelsPerPoint: 1 } as const
const small: GivenTimerStyle = { ...(!isFull && plain), width: 240, height: 60 }

for (const language of ['en', 'pl'] as const) {
  const scene = makeScene(isFull || language === 'en' ? plain : small, language)

  const step = amount(31, 1)
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
    for (const [index, turn] of turns.entries()) if (index % amount(16, 1) === 0) assertShows(scene, turn + 1, 4)
  })

  test(`${language}: a strict reader finds no fault in any stream`, () => {
    for (let second = 0; second < 60; second += step) readStrictly(gifOf(scene, anyMoment + second))
    for (let minute = 1; minute < 60; minute += step) readStrictly(gifOf(scene, minute * MINUTE))
    for (let hour = 1; hour < 24; hour += amount(11, 1)) readStrictly(gifOf(scene, hour * HOUR))
    for (let day = 1; day < 105; day += step) readStrictly(gifOf(scene, day * DAY))
  })
}

const fine: GivenTimerStyle = { pixelsPerPoint: 2, ...(!isFull && { width: 240, height: 60 }) }
const styles: [what: string, language: MailLanguage, style: GivenTimerStyle][] = [
  ['two pixels per point', 'en', fine],
  ['two pixels per point', 'pl', fine],
  ['no labels', 'en', { ...fine, showLabels: false, width: 400, height: 80 }],
  ['the smallest', 'pl', { ...plain, width: 200, height: 50, cornerRadius: 40 }],
  ['high and narrow', 'pl', { ...plain, width: 200, height: 200, font: 'oswald', cornerRadius: 0 }],
  ['wide and low', 'en', { ...plain, width: 600, height: 50, font: 'montserrat' }],
  ['one colour only', 'en', { ...plain, background: '#777777', box: '#777777', digits: '#777777', labels: '#777777' }],
  ['letters of one width', 'pl', { ...plain, font: 'roboto-mono', width: 320, height: 96 }],
  ['lato', 'pl', { ...plain, font: 'lato', width: 404, height: 90 }],
  ['roboto', 'en', { ...plain, font: 'roboto', width: 300, height: 101 }],
  ['own labels', 'de', { ...small, labelTexts: { days: 'T', hours: 'T', minutes: 'min.' }, uppercase: true }],
  ['sizes of its own', 'nl', { ...small, digitSize: 60, labelSize: 6, gap: 40 }],
  ['transparent', 'uk', { ...small, background: 'transparent' }],
  ['transparent and cut', 'pl', { ...small, background: 'transparent', preset: 'flip' }],
  ...timerPresets.flatMap((preset, at): typeof styles => [
    [preset, mailLanguages[at + 2] as MailLanguage, { ...small, preset }],
    [`${preset}, at one pixel per point`, 'pl', { ...small, ...plain, preset, font: 'oswald', gap: 0 }],
  ]),
]

for (const [what, language, style] of someOf(styles, 3)) {
  test(`right in another style: ${what}, ${language}`, () => {
    const scene = makeScene(style, language)
    for (const left of [anyMoment + 37, 2 * DAY + 30]) assertShows(scene, left, amount(6, 60))
    const turns = [101 * DAY, HOUR, DAY, MINUTE, 23 * HOUR, 2 * DAY, 100 * DAY, 365 * DAY]
    for (const left of turns.slice(0, amount(3, 8))) {
      assertShows(scene, left + 1, 3)
      readStrictly(gifOf(scene, left))
    }
  })
}

// In the long form as large as they are by themselves, each frame of a minute, and where more than seconds turn.
const asLarge: GivenTimerStyle = isFull ? {} : { ...plain, width: 200, height: 50 }

for (const [turn, preset] of timerPresets.entries())
  test(`no frame is wrong in any language: ${preset}`, () => {
    // In the short form each preset has a language of its own.
    const isMet = (index: number) => isFull || index === turn
    for (const language of mailLanguages.filter((_, index) => isMet(index))) {
      const scene = makeScene({ ...asLarge, preset }, language)
      assertShows(scene, DAY + 2 * HOUR + 5, amount(4, 60))
      for (const left of isFull ? [59, 12 * DAY + 35, 3 * HOUR + 22 * MINUTE + 3] : []) assertShows(scene, left)
      readStrictly(gifOf(scene, 22 * HOUR))
    }
  })

for (const units of ['hours,minutes,seconds', 'minutes,seconds'] as const)
  for (const preset of someOf(['boxes', 'rings'] as const, 1))
    test(`without larger units the first one runs on: ${units}, ${preset}`, () => {
      const list = units.split(',') as TimerUnit[]
      const scene = makeScene({ ...small, preset, units: list }, 'pl')
      for (const left of [
        59,
        2 * MINUTE + 5,
        3 * HOUR + 20,
        26 * HOUR + 1,
        99 * HOUR + 59 * MINUTE,
        4 * DAY + 4 * HOUR,
        50 * DAY,
      ])
        assertShows(scene, left, amount(6, 60))
      for (const left of [MINUTE, HOUR, DAY, 99 * MINUTE, 100 * MINUTE, 100 * HOUR, 101 * HOUR]) {
        assertShows(scene, left + 1, 3)
        readStrictly(gifOf(scene, left))
      }
    })

test('26 hours and one second are 26:00:01 where no days are shown', () => {
  const style = fullTimerStyle({ units: ['hours', 'minutes', 'seconds'] })
  assert.deepEqual(timeLeft(26 * HOUR + 1, style.units), [26, 0, 1])
  assert.deepEqual(timeLeft(2_000 * HOUR + 61, style.units), [999, 1, 1])
})

for (const units of someOf(['days,hours,minutes', 'days,hours', 'hours,minutes', 'days', 'minutes'] as const, 2))
  test(`without seconds it turns when a larger unit does, and says zero only when it is over: ${units}`, () => {
    const scene = makeScene({ ...small, units: units.split(',') as TimerUnit[] }, 'en')
    for (const left of [
      0,
      1,
      30,
      59,
      60,
      61,
      119,
      120,
      121,
      HOUR,
      HOUR + 59,
      DAY,
      DAY + 20,
      2 * DAY,
      2 * DAY + 59,
      100 * DAY,
      101 * DAY,
    ]) {
      const gif = gifOf(scene, left)
      const { frames } = readStrictly(gif)
      const pictures = Array.from(decoders.omggif?.(gif) ?? [], (picture) => picture.slice())
      // Frame by frame: the second in which each is shown first, by what it says.
      const expected = Array.from({ length: Math.min(60, left + 1) }, (_, second) =>
        shownValues(scene.style, left - second).join(),
      )
      const turns = expected.flatMap((values, second) =>
        second === 0 || values !== expected[second - 1] ? [second] : [],
      )
      assert.equal(pictures.length, turns.length, `${left} left`)
      for (const [index, second] of turns.entries())
        assertSame(pictures[index] as Uint8Array, scene.picture(left - second), `${left} left, after ${second}`)
      if (turns.length === 2) assert.equal(frames[0]?.delay, (turns[1] as number) * 100)
      assert.equal(
        shownValues(scene.style, left).every((value) => value === 0),
        left === 0,
      )
    }
  })

// What the first edition showed, in pixels and delays, for mails that were sent with it.
const firstEdition: [style: GivenTimerStyle, en: string, pl: string][] = [
  [
    { font: 'lato', width: 320, height: 96, cornerRadius: 40, showLabels: false },
    '21acf2fdb38d2156',
    '21acf2fdb38d2156',
  ],
  [{}, '3e6e3920c7b81cf7', '9a6d748ae437df51'],
  [
    {
      ...{ font: 'montserrat', background: '#0f172a', box: '#1e293b', digits: '#fbbf24', labels: '#cbd5e1' },
      pixelsPerPoint: 2,
    },
    '6cbb4605ebf7c3c5',
    '7787a6837d24da9f',
  ],
  [{ font: 'roboto-mono', width: 404, height: 200, cornerRadius: 0 }, '09e2117fa67298c1', '4160e93ac7f86fea'],
]

test('a timer that was sent before shows what it showed, pixel by pixel', () => {
  for (const [style, en, pl] of someOf(firstEdition, 1)) {
    for (const [language, expected] of someOf(Object.entries({ en, pl }), 1)) {
      const scene = makeScene({ ...plain, ...style }, language as MailLanguage)
      const hash = createHash('sha256')
      for (const left of [0, 45, 90_061, 285_871.5, 101 * DAY + 20]) {
        const { frames, delays } = decode(gifOf(scene, left))
        for (const frame of frames) hash.update(frame)
        hash.update(delays.join())
      }
      assert.equal(hash.digest('hex').slice(0, 16), expected, JSON.stringify([style, language]))
    }
  }
})

/** The last picture of an animation that is open at the deadline, and the image from then on. */
function ends(style: GivenTimerStyle) {
  const scene = makeScene({ ...small, ...style }, 'en')
  const last = (left: number) => {
    const gif = gifOf(scene, left)
    const { frames } = readStrictly(gif)
    const pictures = Object.values(decoders).map((decoder) => [...decoder(gif)].at(-1) as Uint8Array)
    assert.deepEqual(pictures[0], pictures[1])
    return { frames: frames.length, picture: pictures[0] as Uint8Array }
  }
  return { scene, whileOpen: last(5), later: last(0) }
}

test('when it is over: zeros, a text, or nothing in the ratio of the image', () => {
  for (const preset of someOf(timerPresets, 1)) {
    const zeros = ends({ preset })
    assert.deepEqual([zeros.whileOpen.frames, zeros.later.frames], [6, 1])
    assertSame(zeros.later.picture, zeros.scene.picture(0), preset)
    const text = ends({ preset, whenOver: { show: 'text', text: 'Too late, for ever' } })
    assert.deepEqual([text.whileOpen.frames, text.later.frames], [6, 1])
    assertSame(text.whileOpen.picture, text.later.picture, preset)
    assert.notDeepEqual(text.later.picture, zeros.later.picture)
    const other = ends({ preset, whenOver: { show: 'text', text: 'Too late' } })
    assert.notDeepEqual(text.later.picture, other.later.picture)
  }
  const nothing = makeScene({ ...small, whenOver: { show: 'nothing' } }, 'en')
  const { width, height, frames } = decode(gifOf(nothing, 0))
  assert.deepEqual([width, height, frames.length], [amount(240, 480), amount(60, 120), 1])
  assert.ok(frames[0]?.every((value, at) => at % 4 !== 3 || value === 0))
  // An open mail cannot become transparent again: it gets the background's colour.
  const [shown] = [...(decoders.omggif?.(gifOf(nothing, 5)) ?? [])].slice(-1)
  assert.ok(shown?.every((value) => value === 255))
})

test('on a transparent background nothing of the last boxes is left beside the text that takes their place', () => {
  const whenOver = { show: 'text', text: 'Over' } as const
  const style = { ...small, showLabels: true, background: 'transparent', cornerRadius: 40, whenOver } as const
  const { whileOpen, later } = ends(style)
  assertSame(whileOpen.picture, later.picture, 'an open mail ends as a later one begins')
})

test('with a transparent background everything around the boxes is transparent, in every frame', () => {
  const scene = makeScene({ ...small, background: 'transparent', whenOver: { show: 'text', text: 'Over' } }, 'en')
  const { frames, width, height } = decode(gifOf(scene, 20))
  for (const frame of frames) {
    const opacity = (x: number, y: number) => frame[(y * width + x) * 4 + 3]
    assert.deepEqual([opacity(0, 0), opacity(width - 1, height - 1)], [0, 0])
    assert.equal(opacity(width / 8, Math.floor(height / 3)), 255)
    assert.ok(frame.every((value, at) => at % 4 !== 3 || value === 0 || value === 255))
  }
})
