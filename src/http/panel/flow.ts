// What signing in by the provider has begun, as the browser keeps it until somebody comes back: sealed (JWE), so that
// it can be neither read nor made up.
import { EncryptJWT, jwtDecrypt } from 'jose'
import type { Following } from '../../access/identities.ts'
import type { Checks } from '../../access/provider.ts'
import type { Seconds } from '../../core/instant.ts'
import type { Store } from '../../store/store.ts'
import { flowSeconds } from './session-cookie.ts'

export type Flow = {
  checks: Checks
  /** The screen to go to afterwards. */
  to: string
  following: Following | null
}

type Parts = { store: Pick<Store, 'access'>; now(): number }

const keyOf = ({ store }: Parts) => store.access.keyFor('sign-in by the provider')
const nowOf = ({ now }: Parts): Seconds => Math.floor(now() / 1_000)

export function sealed(parts: Parts, flow: Flow): Promise<string> {
  return new EncryptJWT({ flow })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .setExpirationTime(nowOf(parts) + flowSeconds)
    .encrypt(keyOf(parts))
}

/** Undefined where it is not ours, or too old. */
export async function unsealed(parts: Parts, text: string): Promise<Flow | undefined> {
  const options = { currentDate: new Date(nowOf(parts) * 1_000), contentEncryptionAlgorithms: ['A256GCM'] }
  const opened = await jwtDecrypt<{ flow: Flow }>(text, keyOf(parts), options).catch(() => undefined)
  return opened?.payload.flow
}
