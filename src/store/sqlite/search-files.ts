// A process of its own, started by `lead erase`: says whether the bytes of a text occur anywhere in the files of a
// database. A process that has the database open must not read them: to close a file drops all POSIX locks that the
// process has on it, SQLite's too (https://sqlite.org/howtocorrupt.html, 2.2).
import { createReadStream, existsSync } from 'node:fs'

export type Wanted = { paths: string[]; text: string }

async function isIn(path: string, needle: Buffer): Promise<boolean> {
  let tail = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const window = Buffer.concat([tail, chunk])
    if (window.includes(needle)) return true
    tail = window.subarray(Math.max(0, window.length - needle.length + 1))
  }
  return false
}

process.once('message', async ({ paths, text }: Wanted) => {
  const found = paths.filter((path) => existsSync(path)).map((path) => isIn(path, Buffer.from(text)))
  process.send?.((await Promise.all(found)).includes(true), () => process.disconnect?.())
})
