// The same countdown by encoders from npm. All get the pictures drawn: what is measured is putting them into a GIF.
import { createCanvas } from '@napi-rs/canvas'
import gifenc from 'gifenc'
import GIFEncoder from 'gifencoder'
import omggif from 'omggif'
import sharp from 'sharp'
import { fullTimerStyle } from '../src/core/timer-style.ts'
import { type Bitmap, drawAtlas } from '../src/countdown/atlas.ts'
import { openTypefaces } from '../src/countdown/fonts.ts'
import { layOut } from '../src/countdown/layout.ts'
import { paletteBytes } from '../src/countdown/palette.ts'
import { cut, difference, drawColumn, joinColumns } from '../src/countdown/picture.ts'
import { digitsOf, timeLeft } from '../src/countdown/time-left.ts'
import { wordsOf } from '../src/countdown/words.ts'

export type Peer = {
  name: string
  frames: string
  encode: (pictures: Pictures) => Uint8Array | Promise<Uint8Array>
}

/** 60 pictures a second apart, each with the columns in which it differs from the one before. */
export type Pictures = { width: number; height: number; columns: Bitmap[][]; changed: number[] }

const style = fullTimerStyle({ pixelsPerPoint: 1 })
const palette = paletteBytes(style)
const colours = Array.from({ length: 16 }, (_, place) => [...palette.subarray(place * 3, place * 3 + 3)])
const drawn = new Map<string, Bitmap>()
const typefaces = openTypefaces(style.font, 'en')
const layout = layOut(style, 'en', typefaces)
const labels = style.units.map((_, column) => wordsOf(style, 'en', column))
const atlas = drawAtlas(
  style,
  layout,
  labels.map((words) => [...new Set(words)]),
  typefaces,
)

export function picturesFrom(secondsLeft: number): Pictures {
  const columns = Array.from({ length: 60 }, (_, frame) => columnsAt(secondsLeft - frame))
  const changed = columns.map((now, frame) => {
    const before = columns[frame - 1]
    return before === undefined ? 4 : now.filter((column, place) => column !== before[place]).length
  })
  return { width: layout.width, height: layout.height, columns, changed }
}

/** Drawn once each: a peer that draws text for every frame takes longer. */
function columnsAt(secondsLeft: number): Bitmap[] {
  return timeLeft(secondsLeft, style.units).map((value, place) => {
    const known = drawn.get(`${place} ${value}`)
    if (known !== undefined) return known
    const word = labels[place]?.[value] as string
    const column = drawColumn(layout, atlas, { digits: digitsOf(value), word, ringShare: 0 })
    drawn.set(`${place} ${value}`, column)
    return column
  })
}

function toRgba(places: Uint8Array): Uint8Array {
  const pixels = new Uint32Array(places.length)
  const packed = colours.map(([red = 0, green = 0, blue = 0]) => red | (green << 8) | (blue << 16) | (255 << 24))
  for (let at = 0; at < places.length; at++) pixels[at] = packed[places[at] as number] as number
  return new Uint8Array(pixels.buffer)
}

export const peers: Peer[] = [
  {
    name: 'omggif, tight rectangles',
    frames: 'what changes',
    encode({ width, height, columns, changed }) {
      const into = new Uint8Array(1_000_000)
      const packed = colours.map(([red = 0, green = 0, blue = 0]) => (red << 16) | (green << 8) | blue)
      const writer = new omggif.GifWriter(into, width, height, { palette: packed })
      for (const [frame, now] of columns.entries()) {
        const last = now.slice(4 - (changed[frame] as number))
        const picture = joinColumns(last)
        const before = columns[frame - 1]?.slice(-last.length)
        const part = before ? difference(joinColumns(before), picture) : { left: 0, top: 0, width, height }
        const left = width - picture.width + part.left
        writer.addFrame(left, part.top, part.width, part.height, cut(picture, part), {
          delay: 100,
          disposal: 1,
        })
      }
      return into.subarray(0, writer.end())
    },
  },
  {
    name: 'gifenc, one palette',
    frames: 'whole',
    encode({ width, height, columns }) {
      const encoder = gifenc.GIFEncoder()
      for (const now of columns) {
        encoder.writeFrame(joinColumns(now).places, width, height, {
          palette: colours,
          delay: 1_000,
          repeat: -1,
        })
      }
      encoder.finish()
      return encoder.bytes()
    },
  },
  {
    name: 'sharp',
    frames: 'what changes',
    encode({ width, height, columns }) {
      const pixels = Buffer.concat(columns.map((now) => toRgba(joinColumns(now).places)))
      const raw = { width, height: height * columns.length, channels: 4 as const, pageHeight: height }
      return sharp(pixels, { raw, limitInputPixels: false })
        .gif({ delay: Array(60).fill(1_000), loop: 1 })
        .toBuffer()
    },
  },
  {
    name: 'gifencoder, on canvas',
    frames: 'whole',
    encode({ width, height, columns }) {
      const context = createCanvas(width, height).getContext('2d')
      const encoder = new GIFEncoder(width, height)
      encoder.start()
      encoder.setRepeat(-1)
      encoder.setDelay(1_000)
      for (const now of columns) {
        const image = context.createImageData(width, height)
        image.data.set(toRgba(joinColumns(now).places))
        context.putImageData(image, 0, 0)
        encoder.addFrame(context)
      }
      encoder.finish()
      return encoder.out.getData()
    },
  },
]
