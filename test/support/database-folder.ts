// Where the databases of the tests are.
import { existsSync, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFull } from './faults.ts'

const memory = '/dev/shm'
const leastRoom = 4 * 1_024 ** 3

/** Whether they cost no time of the disk's file system, which takes long to make files and to remove them. */
export const isInMemory = hasRoom()
const parent = isInMemory ? memory : tmpdir()

/** Tests of the store wait for the disk up to a fifth of their time: the short form has them in memory if there is room. */
function hasRoom(): boolean {
  if (isFull || !existsSync(memory)) return false
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize >= leastRoom
}

/** A new and empty one; who asked for it removes it. */
export const databaseFolder = (name: string): string => mkdtempSync(join(parent, `lastcall-${name}-`))
