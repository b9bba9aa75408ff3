// The scope of what all files of a process of tests share: usually it is one file, and `together.ts` makes it several.
import { after } from 'node:test'
import type { Scope } from './lastcall.ts'

const ends: (() => Promise<void>)[] = []
let isHeld = false

/** Called before the first test, what is shared ends after the last; otherwise with the file that first shares. */
export function holdProcessScope(): void {
  if (isHeld) return
  isHeld = true
  after(async () => {
    for (const end of ends.reverse()) await end()
  })
}

export const processScope: Scope = {
  after(end) {
    holdProcessScope()
    ends.push(end)
  },
}
