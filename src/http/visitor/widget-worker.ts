// The thread that minifies the widget: 0.2 s of work that would hold up all answers.
import { readFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { minify } from 'terser'
import type { SmallScript } from './widget-script.ts'

const source = readFileSync(new URL('../../../widget/v1.js', import.meta.url), 'utf8')

// Inside a function nothing becomes a global of the page.
const { code = '' } = await minify(`(() => {'use strict'\n${source}})()`, {
  ecma: 2020,
  // The last makes it longer, but shorter when compressed.
  compress: { passes: 2, unsafe_arrows: true, sequences: false },
})
const plain = Buffer.from(code)
const small: SmallScript = { plain, gzip: gzipSync(plain, { level: 9 }), br: brotliCompressSync(plain) }
parentPort?.postMessage(small)
