// The countdown image in a real browser, frame by frame and as it plays.
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import sharp from 'sharp'
import { render } from '../../src/countdown/render.ts'
import { makeScene, type Scene } from '../support/countdown-drawing.ts'
import { amount, someOf } from '../support/faults.ts'
import { campaignFile, installation, owner } from '../support/lastcall.ts'
import { recipient, setDeadline } from '../support/recipient.ts'
import { openStage } from '../support/widget-stage.ts'

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400]

const stage = openStage()

type Shown = { pictures: string[]; delaysMs: number[]; plays: number }

/** What the browser's own decoder makes of a GIF: each picture as the SHA-256 of its pixels. */
function decodeIn(page: Page, gif: Uint8Array): Promise<Shown> {
  return page.evaluate(async (base64) => {
    const data = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const decoder = new ImageDecoder({ type: 'image/gif', data, colorSpaceConversion: 'none' })
    await Promise.all([decoder.completed, decoder.tracks.ready])
    const track = decoder.tracks.selectedTrack
    const shown: Shown = { pictures: [], delaysMs: [], plays: (track?.repetitionCount ?? -1) + 1 }
    for (let frameIndex = 0; frameIndex < (track?.frameCount ?? 0); frameIndex++) {
      const { image } = await decoder.decode({ frameIndex })
      const pixels = new Uint8Array(image.codedWidth * image.codedHeight * 4)
      await image.copyTo(pixels, { format: 'RGBA' })
      const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', pixels))
      shown.pictures.push([...digest].map((byte) => byte.toString(16).padStart(2, '0')).join(''))
      shown.delaysMs.push((image.duration ?? 0) / 1000)
      image.close()
    }
    return shown
  }, Buffer.from(gif).toString('base64'))
}

function expectedPictures(scene: Scene, secondsLeft: number): string[] {
  const count = Math.min(60, secondsLeft + 1)
  return Array.from({ length: count }, (_, frame) => hash('sha256', scene.picture(secondsLeft - frame)))
}

const moments: Record<string, number> = {
  'the end of a minute': 12 * DAY + 7 * HOUR + 25 * MINUTE + 31,
  'the end of an hour': 2 * DAY + 22 * HOUR + 30,
  'the end of a day': 22 * DAY + 59,
  'the day on which three digits become two': 100 * DAY + 5,
  'the deadline': 59,
  'a deadline that is past': 0,
}

const drawn = [
  ['en', 1],
  ['pl', 2],
  ['pl', 1],
  ['en', 2],
] as const
for (const [language, pixelsPerPoint] of someOf(drawn, 1))
  test(`Chromium decodes each frame as it is drawn: ${language}, ${pixelsPerPoint} to a point`, async () => {
    const scene = makeScene({ pixelsPerPoint }, language)
    const page = await stage.browser.newPage()
    // The decoder is there for secure pages only, and those of this machine are.
    await page.goto(stage.site.put('/empty', ''))
    const into = new Uint8Array(scene.template.mostBytes)
    for (const [what, secondsLeft] of someOf(Object.entries(moments), 2)) {
      const gif = into.subarray(0, render(scene.template, secondsLeft * 1_000 - 300, into))
      const { pictures, delaysMs, plays } = await decodeIn(page, gif)
      const expected = expectedPictures(scene, secondsLeft)
      assert.equal(pictures.length, expected.length, what)
      const wrong = pictures.flatMap((picture, frame) => (picture === expected[frame] ? [] : [frame]))
      assert.deepEqual(wrong, [], `frames of ${what}`)
      if (secondsLeft === 0) continue
      assert.equal(plays, 1, what)
      assert.equal(delaysMs[0], 700, what)
      assert.ok(
        delaysMs.slice(1, -1).every((delay) => delay === 1_000),
        `${what}: ${delaysMs}`,
      )
    }
    await page.close()
  })

/** Small: each look at the page is held against a drawing of each second. */
const small = { width: 200, height: 50, pixelsPerPoint: 1 } as const

for (const language of someOf(['en', 'pl'] as const, 1))
  test(`on a page of somebody else it counts down to zero and stays there: ${language}`, async (t) => {
    const place = installation(t)
    const mechanism = { startsOn: 'registration', deadline: { kind: 'after', period: 'PT48H' } }
    const me = await owner(place, campaignFile({ mechanism, mailTimer: small }))
    const server = await place.serve()
    const shop = { place, owner: me, server }
    const { email, image } = await recipient(shop, { language })
    const scene = makeScene(small, language)
    const at = Math.ceil(Date.now() / 1000 + 8) * 1000
    await setDeadline(shop, email, at)

    const page = await stage.browser.newPage({ viewport: small })
    const html = `<!doctype html><body style="margin:0"><img width="200" height="50" style="display:block" src="${server.origin}${image}">`
    await page.goto(stage.site.put('/mail', html))
    const seen: number[] = []
    while (seen.at(-1) !== 0 && Date.now() < at + 20_000) {
      seen.push(await secondsOnScreen(page, scene, seen.at(-1) ?? 30))
      await sleep(amount(700, 100))
    }
    assert.ok((seen[0] as number) > 0, 'it was seen running')
    assert.ok(Date.now() >= at - 100, 'it was not at zero before the deadline')
    assert.ok(
      seen.every((seconds, index) => index === 0 || seconds <= (seen[index - 1] as number)),
      `${seen}`,
    )
    await sleep(2_500)
    assert.equal(await secondsOnScreen(page, scene, 30), 0)
    await page.close()
  })

/** The seconds left whose drawing is, to the pixel, what the page shows. */
async function secondsOnScreen(page: Page, scene: Scene, atMost: number): Promise<number> {
  const pixels = await sharp(await page.screenshot())
    .ensureAlpha()
    .raw()
    .toBuffer()
  for (let seconds = atMost; seconds >= 0; seconds--)
    if (Buffer.compare(pixels, scene.picture(seconds)) === 0) return seconds
  throw new Error(`the page shows no time up to ${atMost} seconds`)
}
