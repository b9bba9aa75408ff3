// Before the first and after the last file of a test run: `node --test --test-global-setup`.
import type { Postgres } from './postgres.ts'
import { sharePostgres } from './shared-postgres.ts'

let cluster: Postgres | undefined

export async function globalSetup(): Promise<void> {
  cluster = await sharePostgres()
}

export async function globalTeardown(): Promise<void> {
  await cluster?.stop()
}
