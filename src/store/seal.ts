// Texts that this installation alone can read, and that nobody else can have made: encrypted JWTs (JWE), under a key
// that is made of the installation's own.
import { hkdfSync } from 'node:crypto'
import type { JWTPayload } from 'jose'
import type { Seconds } from '../core/instant.ts'

const enc = 'A256GCM'

/** Loaded with the first text: few commands of the command line have one, and all would wait for it. */
const library = () => import('jose')

export type Seal = ReturnType<typeof sealBy>

/** Neither may be called in a transaction: on SQLite it must not wait for anything but its statements. */
export function sealBy(key: Uint8Array) {
  const own = new Uint8Array(hkdfSync('sha256', key, '', 'seal', 32))
  return {
    /** What is sealed for one purpose opens for no other, and from `endsAt` on for none. */
    async close(content: JWTPayload, purpose: string, endsAt?: Seconds): Promise<string> {
      const { EncryptJWT } = await library()
      const claims = { ...content, aud: purpose, ...(endsAt !== undefined && { exp: endsAt }) }
      return new EncryptJWT(claims).setProtectedHeader({ alg: 'dir', enc }).encrypt(own)
    },
    /** Undefined where it was changed, is too old, or was sealed for something else, or elsewhere. */
    async open<Content>(sealed: string, purpose: string, now?: Seconds): Promise<Content | undefined> {
      const { jwtDecrypt } = await library()
      const options = {
        audience: purpose,
        contentEncryptionAlgorithms: [enc],
        ...(now !== undefined && { currentDate: new Date(now * 1_000) }),
      }
      const opened = await jwtDecrypt<Content>(sealed, own, options).catch(() => undefined)
      return opened?.payload
    },
  }
}
