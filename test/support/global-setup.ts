// Before the first and after the last file of a test run: `node --test --test-global-setup`.
import { citusUrl, dropTemplate, makeTemplate } from './citus.ts'
import type { Postgres } from './postgres.ts'
import { sharePostgres } from './shared-postgres.ts'

let cluster: Postgres | undefined

export async function globalSetup(): Promise<void> {
  if (citusUrl === undefined) cluster = await sharePostgres()
  else await makeTemplate()
}

export async function globalTeardown(): Promise<void> {
  await cluster?.stop()
  if (citusUrl !== undefined) await dropTemplate()
}
