// The parts of the picture: how much of a pixel an outline covers, how they lie, and what words they are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type MailLanguage, mailLanguages } from '../../src/core/mail-language.ts'
import { fontsFor, missingLetter, timerFonts } from '../../src/core/timer-font.ts'
import { timerFindings } from '../../src/core/timer-lint.ts'
import { fullTimerStyle, type TimerUnit, timerPresets, timerUnits } from '../../src/core/timer-style.ts'
import { drawAtlas } from '../../src/countdown/atlas.ts'
import { layOut } from '../../src/countdown/layout.ts'
import { type Outline, roundedBox } from '../../src/countdown/outline.ts'
import { drawOver } from '../../src/countdown/over.ts'
import { drawColumn } from '../../src/countdown/picture.ts'
import { addOutline, blankCanvas, coverage } from '../../src/countdown/rasterise.ts'
import { wordsOf } from '../../src/countdown/words.ts'
import { typefacesOf } from '../support/countdown-drawing.ts'
import { amount, someOf } from '../support/faults.ts'

type Point = [x: number, y: number]

/** The corners of the outline, its curves cut into many: contour by contour. */
function polygons(outline: Outline): Point[][] {
  const contours: Point[][] = []
  let [x, y] = [0, 0]
  for (const step of outline) {
    if (step.type === 'Z') continue
    if (step.type === 'M') contours.push([])
    for (let piece = 1; piece <= 64; piece++) {
      const t = piece / 64
      const between = (a: Point, b: Point): Point => [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t]
      let points: Point[] = [
        [x, y],
        [step.x, step.y],
      ]
      if (step.type === 'Q')
        points = [
          [x, y],
          [step.x1, step.y1],
          [step.x, step.y],
        ]
      if (step.type === 'C')
        points = [
          [x, y],
          [step.x1, step.y1],
          [step.x2, step.y2],
          [step.x, step.y],
        ]
      // De Casteljau: halfway lines between halfway points, until one point is left.
      while (points.length > 1) points = points.slice(1).map((point, at) => between(points[at] as Point, point))
      if (step.type === 'M') points = [[step.x, step.y]]
      contours.at(-1)?.push(points[0] as Point)
    }
    ;[x, y] = [step.x, step.y]
  }
  return contours
}

/** Asks of 64 points in each pixel whether the outline winds around them. */
function sampledCoverage(outline: Outline, size: number, left: number, top: number, scale: number): Float64Array {
  const edges = polygons(outline).flatMap((contour) =>
    contour.map((point, at) => {
      const next = contour[(at + 1) % contour.length] as Point
      return [...point, ...next].map((value, axis) => (axis % 2 === 0 ? left : top) + value * scale) as [
        number,
        number,
        number,
        number,
      ]
    }),
  )
  const hits = new Float64Array(size * size)
  for (let line = 0; line < size * 8; line++) {
    const y = (line + 0.5) / 8
    const crossings = edges.flatMap(([x0, y0, x1, y1]) => {
      if (y0 <= y === y1 <= y) return []
      return [{ x: x0 + ((y - y0) * (x1 - x0)) / (y1 - y0), turn: y0 < y1 ? 1 : -1 }]
    })
    crossings.sort((a, b) => a.x - b.x)
    let [winding, passed] = [0, 0]
    for (let sample = 0; sample < size * 8; sample++) {
      for (; passed < crossings.length && (crossings[passed]?.x ?? 0) <= (sample + 0.5) / 8; passed++)
        winding += crossings[passed]?.turn ?? 0
      const pixel = (line >> 3) * size + (sample >> 3)
      if (winding !== 0) hits[pixel] = (hits[pixel] as number) + 1 / 64
    }
  }
  return hits
}

function ourCoverage(outline: Outline, size: number, x: number, y: number, scale: number): Float64Array {
  const canvas = blankCanvas(size, size)
  addOutline(canvas, outline, { x, y, scale })
  return coverage(canvas)
}

function greatestDifference(a: Float64Array, b: Float64Array): number {
  return a.reduce((most, value, at) => Math.max(most, Math.abs(value - (b[at] as number))), 0)
}

for (const font of someOf(timerFonts, 1)) {
  test(`${font}: digits and letters cover as much of each pixel as samples say`, () => {
    const { digits, labels } = typefacesOf(font, 'en')
    for (const { outline } of [...[...'0123456789'].map(digits), ...[...'gkmń'].map(labels)]) {
      const placed = [outline, 72, 8.3, 54.7, 57] as const
      const difference = greatestDifference(ourCoverage(...placed), sampledCoverage(...placed))
      assert.ok(difference < 0.1, `${difference}`)
    }
  })
}

test('a box covers its area, its corners cut round', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 60 }),
      fc.integer({ min: 2, max: 60 }),
      fc.nat(30),
      (width, height, corner) => {
        const radius = Math.min(corner, width / 2, height / 2)
        const covered = ourCoverage(roundedBox(width, height, radius), 64, 1, 2, 1)
        const area = covered.reduce((sum, share) => sum + share, 0)
        const expected = width * height - (4 - Math.PI) * radius ** 2
        assert.ok(Math.abs(area - expected) < 0.01 * radius ** 2 + 1e-6, `${area}, not ${expected}`)
      },
    ),
  )
})

test('an outline that reaches beyond the canvas is cut off at its sides', () => {
  const covered = ourCoverage(roundedBox(30, 30, 0), 10, -5, -5, 1)
  assert.ok(covered.every((share) => Math.abs(share - 1) < 1e-9))
})

const sizes = [
  [600, 140],
  [200, 50],
  [200, 200],
  [600, 50],
  [320, 96],
] as const

for (const font of someOf(timerFonts, 2)) {
  test(`${font}: in every size digits stay in their boxes and labels in their columns`, () => {
    for (const [width, height] of someOf(sizes, 3)) {
      for (const language of someOf(['en', 'pl', 'de', 'uk'] as const, 2)) {
        const typefaces = typefacesOf(font, language)
        for (const showLabels of [true, false]) {
          const style = fullTimerStyle({ font, width, height, showLabels, pixelsPerPoint: 1 })
          const layout = layOut(style, language, typefaces)
          const { box, digits, labels, columnWidth } = layout
          assert.ok(3 * digits.cell <= box.width, 'three digits in a box')
          assert.ok(digits.rows.start > box.top && digits.rows.end < box.top + box.height, 'digits in the box')
          const below = digits.baseline - digits.rows.start
          assert.ok(below >= 10, `digits of ${below} pixels`)
          if (labels === null) continue
          assert.ok(labels.rows.start >= box.top + box.height && labels.rows.end < layout.height)
          const forms = timerUnits.map((_, column) => [...new Set(wordsOf(style, language, column))])
          for (const { left, width: wide } of drawAtlas(style, layout, forms, typefaces).words.values()) {
            assert.ok(left >= 0 && left + wide <= columnWidth, 'labels in their columns')
          }
        }
      }
    }
  })

  test(`${font}: words stay in their columns, however large they are and whatever labels of one's own are beside`, () => {
    const daysAreWidest = {
      ...{ labelTexts: { days: undefined, hours: 'h', minutes: 'h', seconds: 'h' }, units: timerUnits, width: 200 },
      ...{ preset: 'boxes' as const, uppercase: true },
    }
    const own = fc.option(fc.constantFrom<string>('h', 'wwwwwww'), { nil: undefined })
    const styles = fc.record({
      labelTexts: fc.record({ days: own, hours: own, minutes: own, seconds: own }),
      units: fc.constantFrom<readonly TimerUnit[]>(timerUnits, ['days', 'hours'], ['minutes', 'seconds']),
      width: fc.integer({ min: 50, max: 80 }).map((fourth) => fourth * 4),
      preset: fc.constantFrom('boxes' as const, 'card' as const),
      uppercase: fc.boolean(),
    })
    fc.assert(
      fc.property(styles, fc.constantFrom(...mailLanguages), (given, language) => {
        const style = fullTimerStyle({ ...given, font, labelSize: 40, pixelsPerPoint: 1 })
        const typefaces = typefacesOf(font, language)
        const layout = layOut(style, language, typefaces)
        const forms = style.units.map((_, column) => [...new Set(wordsOf(style, language, column))])
        for (const [word, { left, width }] of drawAtlas(style, layout, forms, typefaces).words)
          assert.ok(left >= 0 && left + width <= layout.columnWidth, word)
      }),
      { numRuns: amount(20, 250), examples: [[daysAreWidest, 'en']] },
    )
  })

  test(`${font}: what is drawn far too small for a phone has a finding, and what is large has none`, () => {
    const typefaces = typefacesOf(font, 'en')
    const orNull = (min: number, max: number) => fc.option(fc.integer({ min, max }))
    const styles = fc.record({
      preset: fc.constantFrom(...timerPresets),
      uppercase: fc.boolean(),
      labelTexts: fc.constantFrom({}, { days: 'd', hours: 'h', minutes: 'MIN' }, { hours: 'pozostało' }),
      units: fc.constantFrom<readonly TimerUnit[]>(timerUnits, ['days', 'hours'], ['hours', 'minutes', 'seconds']),
      width: fc.integer({ min: 17, max: 50 }).map((twelfth) => twelfth * 12),
      height: fc.integer({ min: 50, max: 200 }),
      digitSize: orNull(10, 160),
      labelSize: orNull(6, 40),
      gap: orNull(0, 40),
    })
    const tight = { uppercase: true, labelTexts: {}, units: timerUnits, width: 200, height: 100, gap: 40 } as const
    fc.assert(
      fc.property(styles, (given) => {
        const style = fullTimerStyle({ ...given, font })
        const { digits, labels } = layOut(style, 'en', typefaces)
        const pointsOnPhone = (pixels: number) => (pixels / style.pixelsPerPoint) * Math.min(1, 340 / style.width)
        const codes = timerFindings(style).map(([code]) => code)
        for (const [code, least, size] of [
          ['TIMER_DIGITS_SMALL', 14, digits.size],
          ['TIMER_LABELS_SMALL', 9, labels?.size ?? 0],
        ] as const) {
          if (pointsOnPhone(size) < least * 0.75) assert.ok(codes.includes(code), code)
          if (pointsOnPhone(size) > least * 1.7) assert.ok(!codes.includes(code), code)
        }
      }),
      {
        numRuns: amount(100, 1_000),
        examples: [
          [{ ...tight, preset: 'rings', digitSize: 160, labelSize: null }],
          [{ ...tight, preset: 'card', digitSize: null, labelSize: null }],
        ],
      },
    )
  })

  test(`${font}: digits leave the edge of their box whole, however large they are and however round it is`, () => {
    const typefaces = typefacesOf(font, 'en')
    for (const preset of ['boxes', 'outline', 'flip'] as const) {
      for (const [width, height] of someOf(sizes, 3)) {
        for (const [cornerRadius, digitSize] of [
          [10, 160],
          [40, 160],
          [40, null],
        ] as const) {
          const style = fullTimerStyle({ preset, font, width, height, cornerRadius, digitSize })
          const layout = layOut(style, 'en', typefaces)
          const atlas = drawAtlas(style, layout, [[], [], [], []], typefaces)
          const empty = atlas.columnOf(0)
          const inside = empty.places[(layout.box.top + 6) * empty.width + empty.width / 2]
          const { places } = drawColumn(layout, atlas, { digits: '888', word: '', ringShare: 0 })
          const isCut = places.some((place, at) => place !== empty.places[at] && empty.places[at] !== inside)
          assert.equal(isCut, false, `${preset}, ${width} × ${height}, ${cornerRadius}`)
        }
      }
    }
  })

  test(`${font}: no digit is wider than its cell`, () => {
    const typefaces = typefacesOf(font, 'en')
    const { digits } = layOut(fullTimerStyle({ font, pixelsPerPoint: 2 }), 'en', typefaces)
    for (const digit of '0123456789') {
      const { advance, outline } = typefaces.digits(digit)
      const xs = outline.flatMap((step) => Object.entries(step)).filter(([name]) => name.startsWith('x'))
      const [left = 0, right = 0] = [Math.min, Math.max].map((most) => most(...xs.map(([, x]) => Number(x))))
      const start = (digits.cell - advance * digits.size) / 2
      assert.ok(start + left * digits.size >= -0.5 && start + right * digits.size <= digits.cell + 0.5, digit)
    }
  })
}

/** The forms of each word: for one, for a few where those differ, for all others. */
const forms = {
  en: ['day days', 'hour hours', 'minute minutes', 'second seconds'],
  pl: ['dzień dni dni', 'godzina godziny godzin', 'minuta minuty minut', 'sekunda sekundy sekund'],
  de: ['Tag Tage', 'Stunde Stunden', 'Minute Minuten', 'Sekunde Sekunden'],
  es: ['día días', 'hora horas', 'minuto minutos', 'segundo segundos'],
  fr: ['jour jours', 'heure heures', 'minute minutes', 'seconde secondes'],
  it: ['giorno giorni', 'ora ore', 'minuto minuti', 'secondo secondi'],
  nl: ['dag dagen', 'uur uur', 'minuut minuten', 'seconde seconden'],
  pt: ['dia dias', 'hora horas', 'minuto minutos', 'segundo segundos'],
  cs: ['den dny dní', 'hodina hodiny hodin', 'minuta minuty minut', 'sekunda sekundy sekund'],
  uk: ['день дні днів', 'година години годин', 'хвилина хвилини хвилин', 'секунда секунди секунд'],
} satisfies Record<MailLanguage, string[]>

for (const language of mailLanguages)
  test(`labels agree with their numbers as Intl.PluralRules has them: ${language}`, () => {
    const rules = new Intl.PluralRules(language === 'pt' ? 'pt-PT' : language)
    for (const [column, unit] of timerUnits.entries()) {
      const [one, few, many = few] = forms[language][column]?.split(' ') ?? []
      const words: Record<string, string | undefined> = { one, few, many, other: many }
      // Alone it runs on beyond what makes a larger one.
      const shown = wordsOf(fullTimerStyle({ units: [unit] }), language, 0)
      for (let value = 0; value <= 120; value++)
        assert.equal(shown[value], words[rules.select(value)], `${value} ${unit}`)
    }
  })

test('labels agree with numbers that are hard to get right', () => {
  const said = { pl: 'sekund sekunda sekundy sekundy sekund sekund sekund sekundy sekund', fr: 'seconde seconde' }
  const counts = [0, 1, 2, 4, 5, 12, 21, 22, 25]
  for (const [language, words] of Object.entries(said)) {
    const seconds = wordsOf(fullTimerStyle({}), language as MailLanguage, 3)
    for (const [at, word] of words.split(' ').entries()) assert.equal(seconds[counts[at] as number], word)
  }
  assert.deepEqual(
    [11, 21, 31].map((value) => wordsOf(fullTimerStyle({}), 'uk', 2)[value]),
    ['хвилин', 'хвилина', 'хвилина'],
  )
  assert.equal(wordsOf(fullTimerStyle({}), 'pt', 1)[0], 'horas')
})

test('what letters have beyond their width is not cut off: the tail of a j', () => {
  const typefaces = typefacesOf('montserrat', 'fr')
  const style = fullTimerStyle({ font: 'montserrat' })
  const { words } = drawAtlas(style, layOut(style, 'fr', typefaces), [['jours']], typefaces)
  const { width = 0, places = new Uint8Array() } = words.get('jours') ?? {}
  assert.equal(new Set(places.filter((_, at) => at % width === 0)).size, 1, 'the first column is empty')
})

test('texts of one’s own may have letters in two pieces, and break no line at a no-break space', () => {
  const own = { minutes: 'Démi\u202f!'.normalize('NFD') }
  assert.equal(wordsOf(fullTimerStyle({ labelTexts: own }), 'fr', 2)[0], 'Démi\u00a0!')
  const typefaces = typefacesOf('inter', 'fr')
  const over = (text: string) => {
    const style = fullTimerStyle({
      ...{ width: 200, height: 100, pixelsPerPoint: 1 },
      whenOver: { show: 'text', text },
    })
    return Buffer.from(drawOver(style, layOut(style, 'fr', typefaces), typefaces.digits).overImage)
  }
  const kept = over('Terminée aujourd’hui\u00a0!')
  assert.ok(over('Terminée aujourd’hui\u202f!'.normalize('NFD')).equals(kept))
  assert.ok(!over('Terminée\u00a0aujourd’hui !').equals(kept))
})

test('a font has every letter that it is said to have, and is not offered for a language whose letters it lacks', () => {
  const lettersOf = new Map(
    mailLanguages.map((language) => {
      const words = timerUnits.flatMap((_, column) => wordsOf(fullTimerStyle({}), language, column))
      return [language, words.join('') + alphabets[language]]
    }),
  )
  for (const font of timerFonts) {
    const { digits, labels } = typefacesOf(font, 'en')
    for (let code = 0x20; code < 0x2200; code++) {
      const letter = String.fromCharCode(code)
      if (missingLetter(font, letter) !== undefined) continue
      assert.ok(digits(letter) && labels(letter), `${font} has ${letter}`)
    }
    for (const [language, letters] of lettersOf) {
      if (fontsFor(language).includes(font)) assert.equal(missingLetter(font, letters), undefined)
      else assert.ok(missingLetter(font, alphabets[language]))
    }
  }
  assert.deepEqual(
    fontsFor('uk'),
    timerFonts.filter((font) => font !== 'lato'),
  )
})

const alphabets: Record<MailLanguage, string> = {
  en: '',
  pl: 'ąćęłńóśźż',
  de: 'äöüß',
  es: 'áéíñóúü¿¡',
  fr: 'àâæçéèêëîïôœùûüÿ’',
  it: 'àèéìòù’',
  nl: 'éëïóö',
  pt: 'áâãàçéêíóôõú',
  cs: 'áčďéěíňóřšťúůýž',
  uk: 'абвгґдеєжзиіїйклмнопрстуфхцчшщьюя',
}
