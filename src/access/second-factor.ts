// The second factor: codes of thirty seconds (RFC 6238), and recovery codes for people who have lost their phone.
import { Secret, TOTP } from 'otpauth'
import type { Seconds } from '../core/instant.ts'
import type { Access } from '../store/access.ts'
import type { Actor } from '../store/audit.ts'
import { goOnIfUnavailable } from '../store/errors.ts'
import type { Factor, FactorProof, FactorUser } from '../store/factors.ts'
import type { TryLimit } from '../store/tries.ts'
import { AccessRefused } from './refused.ts'
import { hashOf } from './tokens.ts'
import { countTries } from './tries.ts'

const minute = 60
const stepSeconds = 30
/** A clock may be off by so many steps, either way. */
const driftSteps = 1
const recoveryCodeCount = 10
/** 16 letters and digits of base32. */
const recoveryCodeBytes = 10

/** So many codes are looked at in so long; a right one begins the count again. */
const mostCodes = 10
const codesSeconds = 15 * minute
/** How long a secret can be confirmed after it was shown. */
const offerSeconds = 30 * minute

/** `offer` is the token of `offerFactor`, `token` that of the session. */
type Confirmed = { offer: string; code: string; token: string }

export type SecondFactor = ReturnType<typeof buildSecondFactor>

export function buildSecondFactor(access: Access) {
  return {
    async factorState(userId: number) {
      const factor = await access.findFactor(userId)
      return { isOn: factor !== undefined, recoveryCodesLeft: factor?.recoveryCodes.length ?? 0 }
    },
    /**
     * A secret for the app: a QR code or a key to type in. It must be confirmed within half an hour, by `token` with the
     * first code; until then nothing changes and nothing is stored.
     */
    async offerFactor({ id, email }: FactorUser, now: Seconds) {
      const secret = new Secret({ size: 20 }).base32
      const token = await access.seal.close({ secret }, offerOf(id), now + offerSeconds)
      return { secret, uri: totpOf(secret, email).toString(), token }
    },
    /**
     * Switches the factor on, and ends the user's sessions but that of `token`. Resolves with the recovery codes, the
     * only time that they are known. @throws AccessRefused
     */
    async switchFactorOn(user: FactorUser, { offer, code, token }: Confirmed, by: Actor): Promise<string[]> {
      const offered = await access.seal.open<{ secret: string }>(offer, offerOf(user.id), by.at)
      if (offered === undefined) throw new AccessRefused('TOOK_TOO_LONG')
      const { secret } = offered
      const step = stepOf(secret, code, by.at)
      if (step === undefined) throw new AccessRefused('WRONG_CODE')
      const { codes, hashes } = newRecoveryCodes()
      const isOn = await access.switchFactorOn(user, { secret, step, recoveryCodes: hashes }, hashOf(token), by)
      if (!isOn) throw new AccessRefused('CHANGED_MEANWHILE')
      return codes
    },
    /** @throws AccessRefused */
    switchFactorOff: (user: FactorUser, code: string, by: Actor) =>
      withCode(access, user.id, code, by.at, (proof) => access.switchFactorOff(user, proof, by)),
    /** New recovery codes instead of the old ones. @throws AccessRefused */
    async makeRecoveryCodes(user: FactorUser, code: string, by: Actor): Promise<string[]> {
      const { codes, hashes } = newRecoveryCodes()
      await withCode(access, user.id, code, by.at, (proof) => access.replaceRecoveryCodes(user, proof, hashes, by))
      return codes
    },
    /** Uses up a code or a recovery code. @throws AccessRefused */
    takeCode: (userId: number, code: string, now: Seconds) =>
      withCode(access, userId, code, now, (proof) => access.takeProof(userId, proof)),
    /** Removes the factor without a code. False if the user has none. */
    async resetFactor(user: FactorUser, by: Actor): Promise<boolean> {
      const isReset = await access.resetFactor(user, by)
      await access.forgetTries(codesOf(user.id).name)
      return isReset
    },
  }
}

/**
 * `use` uses up the code; false if that was done before. At the limit nobody learns whether a code is right.
 * @throws AccessRefused
 */
async function withCode(
  access: Access,
  userId: number,
  code: string,
  now: Seconds,
  use: (proof: FactorProof) => Promise<boolean>,
): Promise<void> {
  const factor = await access.findFactor(userId)
  if (factor === undefined) throw new AccessRefused('CHANGED_MEANWHILE')
  // Counted before it is looked at: of many at once only ten are checked.
  await countTries(access, [codesOf(userId)], now)
  const proof = proofOf(factor, code, now)
  if (proof === undefined || !(await use(proof))) throw new AccessRefused('WRONG_CODE')
  // The code is used up, and what it was for is done.
  await access.forgetTries(codesOf(userId).name).catch(goOnIfUnavailable)
}

const codesOf = (userId: number): TryLimit => ({ name: `codes of ${userId}`, most: mostCodes, seconds: codesSeconds })
const offerOf = (userId: number) => `second factor offered to ${userId}`

function totpOf(secret: string, label: string): TOTP {
  return new TOTP({ issuer: 'Lastcall', label, algorithm: 'SHA1', digits: 6, period: stepSeconds, secret })
}

/** The step of thirty seconds that the code belongs to. */
function stepOf(secret: string, code: string, now: Seconds): number | undefined {
  // Full-width digits come from Japanese and Chinese keyboards. The library throws at any character that is not ASCII.
  const token = code.normalize('NFKC').replaceAll(' ', '')
  if (!/^\d{6}$/.test(token)) return undefined
  const drift = totpOf(secret, '').validate({ token, timestamp: now * 1_000, window: driftSteps })
  return drift === null ? undefined : Math.floor(now / stepSeconds) + drift
}

/** A code as apps show it, also with a space, or a recovery code, in any case and with or without hyphens. */
function proofOf(factor: Factor, code: string, now: Seconds): FactorProof | undefined {
  const step = stepOf(factor.secret, code, now)
  if (step !== undefined) return { step }
  const given = Buffer.from(recoveryHash(code))
  const recoveryCode = factor.recoveryCodes.find((hash) => given.equals(hash))
  return recoveryCode && { recoveryCode }
}

/** `abcd-efgh-ijkl-mnop`. */
function newRecoveryCodes(): { codes: string[]; hashes: Uint8Array[] } {
  const codes = Array.from({ length: recoveryCodeCount }, () => {
    const { base32 } = new Secret({ size: recoveryCodeBytes })
    return (base32.toLowerCase().match(/.{4}/g) ?? []).join('-')
  })
  return { codes, hashes: codes.map(recoveryHash) }
}

function recoveryHash(code: string): Uint8Array {
  return hashOf(code.toLowerCase().replace(/[^a-z2-7]/g, ''))
}
