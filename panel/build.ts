// Builds the panel's pages into panel/dist. An installation without what is needed only to build keeps those that
// it was given.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const isThere = (name: string): boolean => {
  try {
    createRequire(import.meta.url).resolve(name)
    return true
  } catch {
    return false
  }
}

if (isThere('vite') && isThere('react')) {
  const { build } = await import('vite')
  await build({ configFile: join(import.meta.dirname, 'vite.config.ts'), logLevel: 'warn' })
  compress(join(import.meta.dirname, 'dist', 'panel', 'assets'))
} else console.error('the panel is not built again: the packages that build it are not installed')

/** Here, since a server would keep everybody waiting for a tenth of a second at each large file. */
function compress(folder: string): void {
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }
  for (const name of readdirSync(folder)) {
    if (!/\.(?:js|css|svg|json)$/.test(name)) continue
    const plain = readFileSync(join(folder, name))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(plain))
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(plain, quality))
  }
}
