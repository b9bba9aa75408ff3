// Starts the threads of this program, and says where Node may keep compiled code.
import { lstatSync, mkdirSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * A folder for Node's compile cache. Node runs what it finds there, and in its usual folder any user of the machine could
 * have put something. Undefined where somebody else could write, or no folder can be made: it takes longer without.
 */
export function cacheFolder(): string | undefined {
  const folder = join(tmpdir(), `lastcall-${process.getuid?.()}`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const { uid, mode } = lstatSync(folder)
    return uid === process.getuid?.() && (mode & 0o077) === 0 ? folder : undefined
  } catch {
    return undefined
  }
}

/**
 * A thread with Node's compile cache, without which it takes 35 MB more. Node takes the folder from the environment: here
 * from the thread's own, since processes that are started later would use it without looking whose it is.
 */
export function startThread(file: URL, options: WorkerOptions = {}): Worker {
  const folder = getCompileCacheDir() && cacheFolder()
  return new Worker(file, {
    ...options,
    ...(folder !== undefined && { env: { ...process.env, NODE_COMPILE_CACHE: folder } }),
  })
}
