// A process of its own, started by `lead erase`: says which of several texts occur, as bytes, anywhere in the files of a
// database. A process that has the database open must not read them: to close a file drops all POSIX locks that the
// process has on it, SQLite's too (https://sqlite.org/howtocorrupt.html, 2.2).
import { createReadStream, existsSync } from 'node:fs'

export type Wanted = { paths: string[]; texts: string[] }

async function foundIn(path: string, texts: string[]): Promise<string[]> {
  const found = new Set<string>()
  const longest = Math.max(...texts.map((text) => Buffer.byteLength(text)))
  let tail = Buffer.alloc(0)
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    const window = Buffer.concat([tail, chunk])
    for (const text of texts) if (!found.has(text) && window.includes(text)) found.add(text)
    tail = window.subarray(Math.max(0, window.length - longest + 1))
  }
  return [...found]
}

process.once('message', async ({ paths, texts }: Wanted) => {
  const found = paths.filter((path) => existsSync(path)).map((path) => foundIn(path, texts))
  process.send?.((await Promise.all(found)).flat(), () => process.disconnect?.())
})
