// The state of a sign-in by the provider, kept in the browser until somebody comes back: sealed, so that it can be
// neither read nor forged.
import type { Following } from '../../access/identities.ts'
import type { Checks } from '../../access/provider.ts'
import type { Seconds } from '../../core/instant.ts'
import type { Access } from '../../store/access.ts'
import { flowSeconds } from './session-cookie.ts'

export type Flow = {
  checks: Checks
  /** The screen to go to afterwards. */
  to: string
  following: Following | null
}

const purpose = 'sign-in by the provider'

export const sealed = ({ seal }: Access, flow: Flow, now: Seconds) => seal.close(flow, purpose, now + flowSeconds)

/** Undefined if it is not ours, or too old. */
export const unsealed = ({ seal }: Access, text: string, now: Seconds) => seal.open<Flow>(text, purpose, now)
