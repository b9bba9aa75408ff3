// The scope of what all files of a process of tests share: usually it is one file, and `together.ts` makes it several.
import { after } from 'node:test'
import type { Scope } from './lastcall.ts'

const ends: (() => Promise<void>)[] = []
// Imported before the first test begins, so this is the end of the last.
after(async () => {
  for (const end of ends.reverse()) await end()
})

export const processScope: Scope = {
  after(end) {
    ends.push(end)
  },
}
