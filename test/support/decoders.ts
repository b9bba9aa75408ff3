// Two decoders written by others, made to answer alike: the picture as it stands after each frame.
import { decompressFrame, parseGIF } from 'gifuct-js'
import omggif from 'omggif'

export type Decoder = (gif: Uint8Array, mostFrames?: number) => Generator<Uint8Array>

export const decoders: Record<string, Decoder> = { omggif: omggifPictures, 'gifuct-js': gifuctPictures }

function* omggifPictures(gif: Uint8Array, mostFrames = Infinity): Generator<Uint8Array> {
  const reader = new omggif.GifReader(gif)
  const picture = new Uint8Array(reader.width * reader.height * 4)
  for (let frame = 0; frame < Math.min(reader.numFrames(), mostFrames); frame++) {
    reader.decodeAndBlitFrameRGBA(frame, picture)
    yield picture
  }
}

function* gifuctPictures(gif: Uint8Array, mostFrames = Infinity): Generator<Uint8Array> {
  const parsed = parseGIF(gif.slice().buffer)
  const { width } = parsed.lsd
  const picture = new Uint8Array(width * parsed.lsd.height * 4)
  const whole = new Uint32Array(picture.buffer)
  const frames = parsed.frames.filter((frame) => 'image' in frame)
  for (const frame of frames.slice(0, mostFrames)) {
    const { dims, patch } = decompressFrame(frame, parsed.gct, true)
    const pixels = new Uint32Array(patch.buffer, patch.byteOffset, patch.length / 4)
    for (let row = 0; row < dims.height; row++) {
      const from = row * dims.width
      const to = (dims.top + row) * width + dims.left
      // What is transparent leaves what was there.
      for (let at = 0; at < dims.width; at++)
        if (patch[(from + at) * 4 + 3] !== 0) whole[to + at] = pixels[from + at] as number
    }
    yield picture
  }
}
