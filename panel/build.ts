// Builds the panel's pages into panel/dist. An installation without what is needed only to build keeps those that
// it was given.
import { createRequire } from 'node:module'

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
  await build({ configFile: new URL('vite.config.ts', import.meta.url).pathname, logLevel: 'warn' })
} else console.error('the panel is not built anew: what builds it is not installed')
