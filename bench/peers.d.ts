// What is used of two encoders that bring no types.
declare module 'gifenc' {
  type Options = { palette: number[][]; delay: number; repeat?: number }
  const gifenc: {
    GIFEncoder(): {
      writeFrame(places: Uint8Array, width: number, height: number, options: Options): void
      finish(): void
      bytes(): Uint8Array
    }
  }
  export default gifenc
}
declare module 'gifencoder' {
  class GIFEncoder {
    constructor(width: number, height: number)
    out: { getData(): Uint8Array }
    start(): void
    setRepeat(times: number): void
    setDelay(milliseconds: number): void
    addFrame(context: unknown): void
    finish(): void
  }
  export default GIFEncoder
}
