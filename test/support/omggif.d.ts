// What is used of omggif 1.0.10, which brings no types.
declare module 'omggif' {
  export class GifReader {
    constructor(bytes: Uint8Array)
    width: number
    height: number
    numFrames(): number
    loopCount(): number | null
    frameInfo(frame: number): { delay: number }
    decodeAndBlitFrameRGBA(frame: number, pixels: Uint8Array): void
  }
}
