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

/**
 * `key` is the installation's own. `sharedClock`: seconds by the database's clock, in SQL, where several nodes share it;
 * null where one process serves it.
 */
export function sharedParts(runner: Runner, key: Uint8Array, sharedClock: string | null) {
  return {
    conversions: conversionsOn(runner, refCipher(key)),
    counts: countsOn(runner),
    access: accessOn(runner, key),
    identities: identitiesOn(runner),
    passwordResets: passwordResetsOn(runner),
    audit: auditOn(runner),
    templates: templatesOn(runner),
    events: eventsOn(runner, key, sharedClock),
  }
}
