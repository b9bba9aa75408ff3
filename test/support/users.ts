// Users whose password is hashed in a hundredth of the time: a hash names its own figures, and signing in keeps to
// them (RFC 9106, the PHC string format). For tests that are not about passwords.
import { argon2Sync, randomBytes } from 'node:crypto'
import type { Role } from '../../src/core/role.ts'
import type { User } from '../../src/store/access.ts'
import type { Store } from '../../src/store/store.ts'
import { testerAt } from './actor.ts'

type Given = { email: string; password: string; role: Role }

export function createUser(store: Store, accountId: number, { email, password, role }: Given): Promise<User> {
  const by = testerAt(Math.floor(Date.now() / 1_000))
  return store.access.createUser(accountId, { email, passwordHash: quickHash(password), role }, by)
}

function quickHash(password: string): string {
  const nonce = randomBytes(16)
  const tag = argon2Sync('argon2id', { message: password, nonce, tagLength: 32, memory: 8, passes: 1, parallelism: 1 })
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=8,t=1,p=1$${text(nonce)}$${text(tag)}`
}
