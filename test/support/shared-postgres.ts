// One cluster for all files of a test run. `global-setup.ts` starts it; a file run by itself starts its own.
import { openStore } from '../../src/store/open.ts'
import { citusUrl, newDatabase } from './citus.ts'
import { type Postgres, startPostgres } from './postgres.ts'
import { templateVariable } from './postgres-databases.ts'
import { shelveUsualTemplates } from './usual-templates.ts'

const variable = 'LASTCALL_TEST_POSTGRES'

let ours: Promise<Postgres> | undefined

/** The superuser's URL on the cluster of this run. */
export async function postgresUrl(): Promise<string> {
  const given = citusUrl ?? process.env[variable]
  if (given) return given
  ours ??= startPostgres()
  return (await ours).adminUrl
}

/** The cluster of this run, for tests that harm nothing but databases of their own, which have their tables. */
export async function sharedCluster(): Promise<Pick<Postgres, 'adminUrl' | 'createDatabase'>> {
  const adminUrl = await postgresUrl()
  return { adminUrl, createDatabase: () => newDatabase(adminUrl) }
}

/**
 * Starts the cluster for this process and for those that it starts from now on. Their databases are copies of one that
 * has its tables and the usual countdown images: to make each would take four times as long.
 */
export async function sharePostgres(): Promise<Postgres> {
  // Databases that live for a second need no tidying, and with a hundred of them it would never end.
  const cluster = await startPostgres({ settings: ['autovacuum=off'] })
  process.env[variable] = cluster.adminUrl
  const template = await cluster.createDatabase()
  const options = { lockWaitMs: 1_000, timeoutMs: 10_000, poolSize: 1, isServer: false }
  const store = await openStore({ engine: 'postgres', url: template }, options)
  await shelveUsualTemplates(store)
  await store.close()
  process.env[templateVariable] = template
  return cluster
}
