// Reads a countdown image back: its frames are decoded by omggif and compared with drawings of the times expected.
import assert from 'node:assert/strict'
import omggif from 'omggif'
import type { MailLanguage } from '../../src/core/mail-language.ts'
import { fullTimerStyle, type GivenTimerStyle } from '../../src/core/timer-style.ts'
import { buildTemplate } from '../../src/countdown/build.ts'
import { openTypefaces } from '../../src/countdown/fonts.ts'
import { openTemplate } from '../../src/countdown/packed.ts'
import { render } from '../../src/countdown/render.ts'
import type { Template } from '../../src/countdown/template.ts'
import { usualTemplate } from './usual-templates.ts'

export type Countdown = { width: number; height: number; frames: Uint8Array[]; delays: number[] }

/** Every frame whole, as it is seen. */
export function decode(gif: Uint8Array): Countdown {
  const reader = new omggif.GifReader(gif)
  const { width, height } = reader
  assert.equal(reader.loopCount(), null, 'it plays once')
  const screen = new Uint8Array(width * height * 4)
  const frames: Uint8Array[] = []
  const delays: number[] = []
  for (let frame = 0; frame < reader.numFrames(); frame++) {
    reader.decodeAndBlitFrameRGBA(frame, screen)
    frames.push(screen.slice())
    delays.push(reader.frameInfo(frame).delay)
  }
  return { width, height, frames, delays }
}

function firstFrame(gif: Uint8Array): Uint8Array {
  const reader = new omggif.GifReader(gif)
  const screen = new Uint8Array(reader.width * reader.height * 4)
  reader.decodeAndBlitFrameRGBA(0, screen)
  return screen
}

/** Seconds left that the frame shows, if they are among those around `near`. */
export function secondsShown(
  frame: Uint8Array | undefined,
  near: number,
  { style = {}, language = 'en' as MailLanguage, around = 3 }: Reading = {},
): number | undefined {
  const template = templateOf(style, language)
  const drawn = Buffer.alloc(template.mostBytes)
  for (let seconds = Math.max(0, near - around); seconds <= near + around; seconds++) {
    const same = firstFrame(drawn.subarray(0, render(template, seconds * 1000, drawn)))
    if (frame && Buffer.compare(same, frame) === 0) return seconds
  }
  return undefined
}

export type Reading = { style?: GivenTimerStyle; language?: MailLanguage; around?: number }

const templates = new Map<string, Template>()

function templateOf(style: GivenTimerStyle, language: MailLanguage): Template {
  const key = JSON.stringify([style, language])
  const full = fullTimerStyle(style)
  const built = () => usualTemplate(full, language) ?? buildTemplate(full, language, openTypefaces(full.font, language))
  const template = templates.get(key) ?? openTemplate(built())
  assert.ok(template)
  templates.set(key, template)
  return template
}
