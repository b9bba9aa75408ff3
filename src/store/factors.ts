// The second factor of users: its secret, sealed, and the hashes of the recovery codes that are left.
import { type Actor, addUserEntry } from './audit.ts'
import type { Seal } from './seal.ts'
import { boundTo, type Runner, type Sql } from './sql.ts'

/** Whose factor it is. */
export type FactorUser = { id: number; accountId: number; email: string }

export type Factor = {
  /** In base32. */
  secret: string
  /** A code of this step of thirty seconds was the last one taken. */
  step: number
  /** SHA-256 of each that has not been used. */
  recoveryCodes: Uint8Array[]
}

/** A code of this step, or a recovery code with this hash. */
export type FactorProof = { step: number } | { recoveryCode: Uint8Array }

export function factorsOn({ read, write }: Pick<Runner, 'read' | 'write'>, seal: Seal) {
  return {
    async findFactor(userId: number): Promise<Factor | undefined> {
      const stored = await read((sql) => findSealed(sql, userId))
      if (stored === undefined) return undefined
      const opened = await seal.open<Pick<Factor, 'secret'>>(stored.secret, purposeOf(userId))
      if (opened === undefined) throw new Error('the secret of a second factor was sealed with another key')
      return { ...stored, secret: opened.secret }
    },
    /** Ends the user's sessions but the one with the hash `keeps`. False where they have a factor already. */
    async switchFactorOn(user: FactorUser, factor: Factor, keeps: Uint8Array, by: Actor): Promise<boolean> {
      const secret = await seal.close({ secret: factor.secret }, purposeOf(user.id))
      return write((sql) => switchOn(sql, user, { ...factor, secret }, keeps, by))
    },
    ...boundTo(write, { takeProof, switchFactorOff, replaceRecoveryCodes, resetFactor }),
  }
}

const purposeOf = (userId: number) => `second factor of ${userId}`

/** With its secret as it is stored: sealed. */
async function findSealed(sql: Sql, userId: number): Promise<Factor | undefined> {
  const rows = await sql.all(
    `SELECT factor_secret, factor_step, code_hash FROM users LEFT JOIN recovery_codes ON user_id = id
      WHERE id = ? AND factor_secret IS NOT NULL`,
    userId,
  )
  const [first] = rows
  if (first === undefined) return undefined
  const recoveryCodes = rows.map(({ code_hash }) => code_hash).filter((hash) => hash !== null)
  return { secret: first.factor_secret, step: first.factor_step, recoveryCodes }
}

/** Uses it up. If several use the same one, over all nodes only one gets true. */
async function takeProof(sql: Sql, userId: number, proof: FactorProof): Promise<boolean> {
  if ('recoveryCode' in proof) {
    const taken = 'DELETE FROM recovery_codes WHERE user_id = ? AND code_hash = ?'
    return (await sql.run(taken, userId, proof.recoveryCode)) > 0
  }
  const moved = 'UPDATE users SET factor_step = ? WHERE id = ? AND factor_step < ?'
  return (await sql.run(moved, proof.step, userId, proof.step)) > 0
}

async function switchOn(sql: Sql, user: FactorUser, factor: Factor, keeps: Uint8Array, by: Actor): Promise<boolean> {
  const isOn = await sql.run(
    'UPDATE users SET factor_secret = ?, factor_step = ? WHERE id = ? AND factor_secret IS NULL',
    ...[factor.secret, factor.step, user.id],
  )
  if (isOn === 0) return false
  await addRecoveryCodes(sql, user.id, factor.recoveryCodes)
  await endOtherSessions(sql, user.id, keeps)
  await addUserEntry(sql, by, 'user.factor_on', user, { secondFactor: false }, { secondFactor: true })
  return true
}

/** Ends all of the user's except the one with the hash `keeps`. */
export async function endOtherSessions(sql: Sql, userId: number, keeps: Uint8Array): Promise<void> {
  await sql.run('DELETE FROM sessions WHERE user_id = ? AND token_hash <> ?', userId, keeps)
}

/** False where the proof was used meanwhile. */
async function switchFactorOff(sql: Sql, user: FactorUser, proof: FactorProof, by: Actor): Promise<boolean> {
  if (!(await takeProof(sql, user.id, proof))) return false
  await removeFactor(sql, user.id)
  await addUserEntry(sql, by, 'user.factor_off', user, { secondFactor: true }, { secondFactor: false })
  return true
}

/** For the operator: without a code. False if the user has no factor. */
async function resetFactor(sql: Sql, user: FactorUser, by: Actor): Promise<boolean> {
  if (!(await removeFactor(sql, user.id))) return false
  await addUserEntry(sql, by, 'user.factor_reset', user, { secondFactor: true }, { secondFactor: false })
  return true
}

/** The old codes no longer work. False if the code was used meanwhile. */
async function replaceRecoveryCodes(
  sql: Sql,
  user: FactorUser,
  proof: FactorProof,
  recoveryCodes: Uint8Array[],
  by: Actor,
): Promise<boolean> {
  if (!(await takeProof(sql, user.id, proof))) return false
  await sql.run('DELETE FROM recovery_codes WHERE user_id = ?', user.id)
  await addRecoveryCodes(sql, user.id, recoveryCodes)
  await addUserEntry(sql, by, 'user.recovery_codes_made', user, { secondFactor: true }, { secondFactor: true })
  return true
}

async function addRecoveryCodes(sql: Sql, userId: number, hashes: Uint8Array[]): Promise<void> {
  for (const hash of hashes) {
    await sql.run('INSERT INTO recovery_codes (user_id, code_hash) VALUES (?, ?)', userId, hash)
  }
}

async function removeFactor(sql: Sql, userId: number): Promise<boolean> {
  await sql.run('DELETE FROM recovery_codes WHERE user_id = ?', userId)
  const removed = `UPDATE users SET factor_secret = NULL, factor_step = NULL
    WHERE id = ? AND factor_secret IS NOT NULL`
  return (await sql.run(removed, userId)) > 0
}
