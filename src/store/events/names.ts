// Secrets and ids of events: they are derived from the installation's key, and not stored.
import { createHmac, hkdfSync } from 'node:crypto'
import type { Seconds } from '../../core/instant.ts'
import { refCipher } from '../ref.ts'
import type { Endpoint } from './endpoint.ts'

export function namesBy(key: Uint8Array) {
  const refs = refCipher(key)
  return {
    /** The secrets that sign now, the newest first, as the customer has them. */
    secretsOf({ accountId, id, generation, oldSecrets }: Endpoint, now: Seconds): string[] {
      const old = oldSecrets.filter(({ until }) => now < until).map((one) => one.generation)
      return [generation, ...old].map((one) => secretOf(key, `${accountId} ${id} ${one}`))
    },
    /** An erased lead's name in links. */
    refOf: (accountId: number, leadId: number, salt: number) => refs.write({ accountId, leadId, salt }),
    /** 32 hexadecimal digits behind `evt_`. An event that is told again has the same id. */
    eventId(accountId: number, leadId: number, kind: string, at: Seconds, detail: number): string {
      const text = `event ${accountId} ${leadId} ${kind} ${at} ${detail}`
      return `evt_${createHmac('sha256', key).update(text).digest('hex').slice(0, 32)}`
    },
  }
}

/** Standard Webhooks: `whsec_` and base64. */
function secretOf(key: Uint8Array, name: string): string {
  const secret = hkdfSync('sha256', key, '', `webhook ${name}`, 32)
  return `whsec_${Buffer.from(secret).toString('base64')}`
}
