// Who changes something where a test does it without a route or a command.
import type { Seconds } from '../../src/core/instant.ts'
import type { Actor } from '../../src/store/audit.ts'

export const actorAt = (at: Seconds): Actor => ({ kind: 'command', name: 'test', address: null, at })
export const tester = actorAt(1)
