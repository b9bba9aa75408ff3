// The parts of the store whose statements both engines run. Each call rejects with StoreUnavailable if the database
// does not answer.
import { accessOn } from './access.ts'
import { auditOn } from './audit.ts'
import { conversionsOn } from './conversions.ts'
import { countsOn } from './counts.ts'
import { type EventsOptions, eventsOn } from './events/events.ts'
import { identitiesOn } from './identities.ts'
import { passwordResetsOn } from './password-resets.ts'
import { refCipher } from './ref.ts'
import type { Runner } from './sql.ts'
import { templatesOn } from './templates.ts'

/** `key` is the installation's own; `countsAtOnce` are rows of counts in one statement. */
export function sharedParts(runner: Runner, key: Uint8Array, options: EventsOptions & { countsAtOnce: number }) {
  return {
    conversions: conversionsOn(runner, refCipher(key)),
    counts: countsOn(runner, options.countsAtOnce),
    access: accessOn(runner, key),
    identities: identitiesOn(runner),
    passwordResets: passwordResetsOn(runner),
    audit: auditOn(runner),
    templates: templatesOn(runner),
    events: eventsOn(runner, key, options),
  }
}
