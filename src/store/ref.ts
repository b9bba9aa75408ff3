// The public name of a lead: one AES block (FIPS 197) under the installation's key. We alone can read which lead it is,
// so no index on random names is needed: that index cost more than the rest of a registration, and on a database that
// is divided by account nobody would know where to look.
import { createCipheriv, createDecipheriv, randomInt } from 'node:crypto'
import { refPattern } from '../core/offer.ts'

const blockBytes = 16
const saltBytes = 6
export const refKeyBytes = 16
const refForm = new RegExp(refPattern)

type RefParts = {
  accountId: number
  leadId: number
  /** 48 random bits, kept with the lead: somebody with the key but without the row cannot make up a ref. */
  salt: number
}

export type RefCipher = {
  /** 32 hexadecimal digits. `accountId` below 2^32, `leadId` below 2^48. */
  write(parts: RefParts): string
  /** What the ref would name. The database says whether there is such a lead with that salt. */
  read(ref: string): RefParts | undefined
}

export function refCipher(key: Uint8Array): RefCipher {
  const encipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  const decipher = createDecipheriv('aes-128-ecb', key, null).setAutoPadding(false)
  const block = Buffer.alloc(blockBytes)

  return {
    write({ accountId, leadId, salt }) {
      block.writeUInt32BE(accountId, 0)
      block.writeUIntBE(leadId, 4, 6)
      block.writeUIntBE(salt, 10, saltBytes)
      return encipher.update(block, undefined, 'hex')
    },
    read(ref) {
      if (!refForm.test(ref)) return undefined
      const plain = decipher.update(ref, 'hex')
      return {
        accountId: plain.readUInt32BE(0),
        leadId: plain.readUIntBE(4, 6),
        salt: plain.readUIntBE(10, saltBytes),
      }
    },
  }
}

/** 48 random bits. */
export function newSalt(): number {
  return randomInt(2 ** (8 * saltBytes) - 1)
}
