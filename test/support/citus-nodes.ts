// The servers of the cluster of CITUS_URL, to be killed and started again: they must run on this machine.
import { execFile } from 'node:child_process'
import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { citusUrl, nodeUrls } from './citus.ts'
import { ask } from './postgres-databases.ts'
import { freezeFamily, killFamily, thawFamily } from './processes.ts'

export type Node = {
  port: number
  /** `kill -9` of all its processes at once. */
  kill9(): Promise<void>
  start(): Promise<void>
  freeze(): void
  thaw(): void
}

/** The coordinator first. */
export async function clusterNodes(): Promise<[Node, ...Node[]]> {
  const urls = await nodeUrls(citusUrl as string)
  return Promise.all(urls.map(nodeAt)) as Promise<[Node, ...Node[]]>
}

async function nodeAt(url: string): Promise<Node> {
  const [place] = await ask(
    url,
    "SELECT current_setting('data_directory') AS folder, (SELECT setting FROM pg_config WHERE name = 'BINDIR') AS programs",
  )
  const { folder, programs } = place
  const { uid, gid } = statSync(folder)
  const pidFile = join(folder, 'postmaster.pid')
  const pid = () => Number(readFileSync(pidFile, 'utf8').split('\n')[0])
  return {
    port: Number(new URL(url).port),
    async kill9() {
      await killFamily(pid())
      // Where nobody waits for the dead, it is taken for alive.
      rmSync(pidFile)
    },
    async start() {
      const args = ['-D', folder, '-l', `${folder}.log`, '-w', '-t', '60', 'start']
      await promisify(execFile)(join(programs, 'pg_ctl'), args, { uid, gid, cwd: folder, env: {} })
    },
    freeze: () => void freezeFamily(pid()),
    thaw: () => thawFamily(pid()),
  }
}
