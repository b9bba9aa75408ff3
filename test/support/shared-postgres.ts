// One cluster for all files of a test run. `global-setup.ts` starts it; a file run by itself starts its own.
import { citusUrl } from './citus.ts'
import { type Postgres, startPostgres } from './postgres.ts'

const variable = 'LASTCALL_TEST_POSTGRES'

let ours: Promise<Postgres> | undefined

/** The superuser's URL on the cluster of this run. */
export async function postgresUrl(): Promise<string> {
  const given = citusUrl ?? process.env[variable]
  if (given) return given
  ours ??= startPostgres()
  return (await ours).adminUrl
}

/** Starts the cluster for this process and for those that it starts from now on. */
export async function sharePostgres(): Promise<Postgres> {
  const cluster = await startPostgres()
  process.env[variable] = cluster.adminUrl
  return cluster
}
