// The parts of the store whose statements both engines run. Each call rejects with StoreUnavailable if the database
// does not answer.
import { accessOn } from './access.ts'
import { auditOn } from './audit.ts'
import { conversionsOn } from './conversions.ts'
import { countsOn } from './counts.ts'
import { eventsOn } from './events/events.ts'
import { identitiesOn } from './identities.ts'
import { passwordResetsOn } from './password-resets.ts'
import { refCipher } from './ref.ts'
import type { Runner } from './sql.ts'
import { templatesOn } from './templates.ts'

/** What differs between the engines. */
type EngineOptions = {
  /** Rows of counts in one statement. */
  countsAtOnce: number
  /** Seconds by the database's clock, in SQL, where several nodes share it; null where one process serves it. */
  sharedClock: string | null
}

/** `key` is the installation's own. */
export function sharedParts(runner: Runner, key: Uint8Array, { countsAtOnce, sharedClock }: EngineOptions) {
  return {
    conversions: conversionsOn(runner, refCipher(key)),
    counts: countsOn(runner, countsAtOnce),
    access: accessOn(runner, key),
    identities: identitiesOn(runner),
    passwordResets: passwordResetsOn(runner),
    audit: auditOn(runner),
    templates: templatesOn(runner),
    events: eventsOn(runner, key, sharedClock),
  }
}
