// The write-ahead log still has what was deleted, until it is written back and cut to nothing.
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Connection } from './connection.ts'

/** Erasures that come within this time are one job. */
const gatherMs = 500
/** After a job that failed, as on a full disk. */
const retryMs = 60_000

/**
 * Tries once to empty the log; false if somebody else reads or writes. Most of it is written back before taking the
 * lock that keeps writers away. That lock is held while it waits for readers, up to the connection's `busy_timeout`,
 * which must be short.
 */
export function emptyLog(connection: Connection): boolean {
  connection.get('PRAGMA wal_checkpoint(PASSIVE)')
  return connection.get('PRAGMA wal_checkpoint(TRUNCATE)')?.busy === 0
}

/** Empties the log in a process of its own, one at a time, which tries until no reader is in the way. */
export function openLogProcess(path: string) {
  const program = fileURLToPath(new URL('./empty-log.ts', import.meta.url))
  let isAsked = false
  let timer: NodeJS.Timeout | undefined
  let stop: (() => void) | undefined
  let isClosed = false

  function wait(ms: number): void {
    if (!isClosed) timer = setTimeout(start, ms).unref()
  }

  function start(): void {
    timer = undefined
    isAsked = false
    const child = fork(program, [path], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [] })
    stop = () => child.kill()
    child.unref()
    child.channel?.unref()
    let isOver = false
    const end = (isDone: boolean) => {
      if (isOver) return
      isOver = true
      stop = undefined
      if (isAsked || !isDone) wait(isDone ? gatherMs : retryMs)
    }
    child.on('exit', (code) => end(code === 0))
    child.on('error', () => end(false))
  }

  return {
    /** Returns at once. */
    emptyLog(): void {
      isAsked = true
      if (stop === undefined && timer === undefined) wait(gatherMs)
    },
    close(): void {
      isClosed = true
      clearTimeout(timer)
      stop?.()
    },
  }
}
