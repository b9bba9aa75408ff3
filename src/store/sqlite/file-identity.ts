import { statSync } from 'node:fs'

/**
 * Tells whether the files at `paths` are still those that were there at the first call. SQLite goes on
 * writing to a file that has been unlinked or replaced, where nobody would ever find the data again.
 */
export function watchIdentity(paths: readonly string[]): () => boolean {
  const identities = paths.map(identityOf)
  return () => paths.every((path, index) => identityOf(path) === identities[index])
}

function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats && `${stats.dev}:${stats.ino}`
}
