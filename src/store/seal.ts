// Texts that this installation alone can read, and that nobody else can have made: AES-256-GCM under a key that is
// made of the installation's own.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const cipher = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export type Seal = {
  /** What is sealed for one purpose does not open for another. */
  close(text: string, purpose: string): Uint8Array
  /** Undefined where it was changed, or sealed for something else, or elsewhere. */
  open(sealed: Uint8Array, purpose: string): string | undefined
}

export function sealBy(key: Uint8Array): Seal {
  const own = Buffer.from(hkdfSync('sha256', key, '', 'seal', 32))
  return {
    close(text, purpose) {
      const nonce = randomBytes(nonceBytes)
      const sealing = createCipheriv(cipher, own, nonce).setAAD(Buffer.from(purpose))
      const closed = [sealing.update(text, 'utf8'), sealing.final()]
      return Buffer.concat([nonce, sealing.getAuthTag(), ...closed])
    },
    open(sealed, purpose) {
      if (sealed.length < nonceBytes + tagBytes) return undefined
      const [nonce, tag] = [sealed.subarray(0, nonceBytes), sealed.subarray(nonceBytes, nonceBytes + tagBytes)]
      const opening = createDecipheriv(cipher, own, nonce, { authTagLength: tagBytes })
      opening.setAAD(Buffer.from(purpose)).setAuthTag(tag)
      try {
        return opening.update(sealed.subarray(nonceBytes + tagBytes), undefined, 'utf8') + opening.final('utf8')
      } catch {
        return undefined
      }
    },
  }
}
