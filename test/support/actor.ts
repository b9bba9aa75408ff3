import type { Actor } from '../../src/store/audit.ts'

/** Who changes something where a test does not ask who it was; `at` is seconds. */
export const testerAt = (at: number): Actor => ({ kind: 'command', name: 'tester', address: null, at })
export const tester = testerAt(1)
