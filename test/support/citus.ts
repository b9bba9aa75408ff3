// With CITUS_URL the databases of the tests stand on a Citus cluster that somebody else runs, divided already. It names
// a database on the coordinator that knows the workers, as the superuser.
import { distributePostgres } from '../../src/store/postgres/postgres.ts'
import { isInMemory } from './database-folder.ts'
import { isFull } from './faults.ts'
import {
  ask,
  createDatabase,
  databaseUrl,
  dropDatabase,
  type NewDatabase,
  role,
  templateVariable,
} from './postgres-databases.ts'

export const citusUrl = process.env.CITUS_URL || undefined

/** Few, so that a database is made quickly. */
const shards = 4

const nameIn = (url: string) => new URL(url).pathname.slice(1)

/** The URL of the same database on each server, the coordinator first. */
export async function nodeUrls(url: string): Promise<string[]> {
  const rows = await ask(
    citusUrl as string,
    "SELECT nodename AS host, nodeport AS port FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid",
  )
  return rows.map(({ host, port }) => {
    const on = new URL(url)
    on.hostname = host
    on.port = String(port)
    return on.href
  })
}

/** Runs statements in database `name` of every server, as the superuser. */
async function onEach(name: string, ...statements: string[]): Promise<void> {
  const nodes = await nodeUrls(withName(citusUrl as string, name))
  await Promise.all(nodes.map((node) => ask(node, ...statements)))
}

function withName(url: string, name: string): string {
  const other = new URL(url)
  other.pathname = name
  return other.href
}

/** The same database, as the superuser. */
export const asSuperuser = (url: string) => withName(citusUrl as string, nameIn(url))

/** A database with Citus on every server, the role its owner, and nothing in it; so many of the workers are known. */
export async function createOnCitus(url: string, workersKnown = Number.POSITIVE_INFINITY): Promise<string> {
  const name = nameIn(url)
  const createRole = `DO $$ BEGIN CREATE ROLE ${role} LOGIN PASSWORD '${new URL(url).password}';
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`
  await onEach('postgres', createRole, `CREATE DATABASE ${name} OWNER ${role}`)
  await onEach(name, 'CREATE EXTENSION citus')
  const admin = asSuperuser(url)
  const [coordinator, ...workers] = (await nodeUrls(admin)).map((node) => new URL(node))
  await ask(
    admin,
    `SELECT citus_set_coordinator_host('${coordinator?.hostname}', ${coordinator?.port})`,
    ...workers.slice(0, workersKnown).map(({ hostname, port }) => `SELECT citus_add_node('${hostname}', ${port})`),
  )
  return url
}

/** What all databases of a run are copied from: dividing one takes two seconds, a copy 0.2. */
export async function makeTemplate(): Promise<void> {
  const url = await createOnCitus(databaseUrl(citusUrl as string))
  await distributePostgres(url, shards)
  await onEach('postgres', ...lettingNobodyIn(nameIn(url)))
  process.env[templateVariable] = url
}

export async function dropTemplate(): Promise<void> {
  await dropOnCitus(process.env[templateVariable] as string)
}

/** Citus keeps a process of its own in each database, and with that nobody can copy it. */
const lettingNobodyIn = (name: string) => [
  `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
  `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '${name}'`,
]

/** Settings of the role are no part of a database. */
const copyingSettings = (source: string, name: string) => `DO $$ DECLARE setting text; BEGIN
  FOR setting IN SELECT unnest(setconfig) FROM pg_db_role_setting AS s JOIN pg_database AS d ON d.oid = s.setdatabase
    WHERE datname = '${source}' LOOP
    EXECUTE format('ALTER ROLE ${role} IN DATABASE ${name} SET %s = %L',
      split_part(setting, '=', 1), split_part(setting, '=', 2));
  END LOOP; END $$`

let copying: Promise<unknown> = Promise.resolve()

/** A database with its tables, on Citus divided, or one with the content of `from`. */
export async function newDatabase(adminUrl: string, made: NewDatabase = {}): Promise<string> {
  const { url = databaseUrl(adminUrl), from = process.env[templateVariable] } = made
  if (citusUrl === undefined) return createDatabase(adminUrl, { url, from })
  if (from === undefined)
    throw new Error('with CITUS_URL run files by --test-global-setup=test/support/global-setup.ts')
  const [name, source] = [nameIn(url), nameIn(from)]
  const copy = [`CREATE DATABASE ${name} OWNER ${role} TEMPLATE ${source}`, copyingSettings(source, name)]
  const lettingIn = `ALTER DATABASE ${source} ALLOW_CONNECTIONS true`
  const statements = made.from === undefined ? copy : [...lettingNobodyIn(source), ...copy, lettingIn]
  // One after the other: a database can be the source of one copy.
  copying = copying.catch(() => {}).then(() => onEach('postgres', ...statements))
  await copying
  return url
}

/**
 * In the short form a cluster of our own on a disk keeps it until the cluster goes: after each removal the next databases
 * cost twice as much, since ext4 passes over every file number that was given back within the last minutes.
 */
export async function removeDatabase(adminUrl: string, url: string): Promise<void> {
  if (citusUrl !== undefined) await dropOnCitus(url)
  else if (isFull || isInMemory) await dropDatabase(adminUrl, url)
}

export async function dropOnCitus(url: string): Promise<void> {
  // Citus' processes on the other servers would connect again and again meanwhile, and so hold up the removal.
  await onEach('postgres', ...lettingNobodyIn(nameIn(url)))
  await onEach('postgres', `DROP DATABASE IF EXISTS ${nameIn(url)} WITH (FORCE)`)
}
