// What is used of omggif 1.0.10, which brings no types.
declare module 'omggif' {
  class GifReader {
    constructor(bytes: Uint8Array)
    width: number
    height: number
    numFrames(): number
    loopCount(): number | null
    frameInfo(frame: number): { delay: number; x: number; y: number; width: number; height: number }
    decodeAndBlitFrameRGBA(frame: number, pixels: Uint8Array): void
  }
  class GifWriter {
    constructor(into: Uint8Array, width: number, height: number, options: { palette: number[] })
    addFrame(
      x: number,
      y: number,
      width: number,
      height: number,
      pixels: Uint8Array,
      options: { delay: number; disposal: number },
    ): number
    end(): number
  }
  const omggif: { GifReader: typeof GifReader; GifWriter: typeof GifWriter }
  export default omggif
}
