// Where each table lies when the database is divided among the servers of a Citus cluster.
import { Refused } from '../errors.ts'
import type { Connection } from './connection.ts'

/** By account over the workers, copied to every server, or on the coordinator alone. */
type Placement = 'distributed' | 'reference' | 'local'

/**
 * Every table of the schema; tables that others refer to come first. Rows that belong to an account are distributed,
 * and are on the same worker as its leads. Settings are reference tables: every server has a copy, so a change needs
 * every server. The rest stays on the coordinator, where writing it needs no worker.
 */
export const placements: Record<string, Placement> = {
  leads: 'distributed',
  lead_counts: 'distributed',
  conversions: 'distributed',
  daily_counts: 'distributed',
  signup_counts: 'distributed',
  clicked_leads: 'distributed',
  request_rates: 'distributed',
  request_history: 'distributed',
  request_batches: 'distributed',
  endpoints: 'distributed',
  notices: 'distributed',
  failed_deliveries: 'distributed',
  sweeps: 'distributed',
  delivery_log: 'distributed',
  accounts: 'reference',
  api_keys: 'reference',
  campaigns: 'reference',
  rules: 'reference',
  offer_pages: 'reference',
  users: 'local',
  sessions: 'local',
  invitations: 'local',
  recovery_codes: 'local',
  password_resets: 'local',
  audit_entries: 'local',
  tries: 'local',
  page_sightings: 'local',
  deleted_campaigns: 'local',
  timer_templates: 'local',
  installation: 'local',
  schema_version: 'local',
}

/** The distributed tables lie beside this one. */
const leads = 'leads'

/** Settings of the role on every server, since what a session of ours sets does not reach the workers. */
const roleSettings = {
  // SET LOCAL synchronous_commit = off holds on the worker that writes.
  'citus.propagate_set_commands': 'local',
  // If the coordinator is gone, a worker ends its statements and releases their locks.
  client_connection_check_interval: '1s',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
}

/** Of every table: how it lies, and how many shards of it each server has. */
export type Distribution = Record<string, { placement: Placement; shards: Record<string, number> }>

export async function isWorker(connection: Connection): Promise<boolean> {
  if (!(await hasCitus(connection))) return false
  const { rows } = await connection.query('SELECT groupid FROM pg_dist_local_group', [])
  return rows[0]?.groupid !== 0
}

export async function isDistributed(connection: Connection): Promise<boolean> {
  return (await hasCitus(connection)) && (await shardCount(connection)) !== undefined
}

async function hasCitus({ query }: Connection): Promise<boolean> {
  const { rows } = await query("SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS is_there", [])
  return rows[0]?.is_there
}

async function shardCount({ query }: Connection): Promise<number | undefined> {
  const { rows } = await query(
    `SELECT count(*) AS shards FROM pg_dist_shard WHERE logicalrelid = '${leads}'::regclass HAVING count(*) > 0`,
    [],
  )
  return rows[0]?.shards
}

/** Divides the tables of this version, in the caller's transaction. @throws Refused where it cannot be done */
export async function distribute(connection: Connection, shards: number | undefined): Promise<Distribution> {
  const known = await shardCount(connection)
  if (known !== undefined && shards !== undefined && known !== shards) {
    throw new Refused(`--shards: the tables are divided into ${known} shards already, which cannot be changed`)
  }
  await distributeTables(connection, shards)
  const { rows } = await connection.query('SELECT current_user AS role, current_database() AS database', [])
  for (const [name, value] of Object.entries(roleSettings)) {
    const change =
      "SELECT format('ALTER ROLE %I IN DATABASE %I SET %s = %L', ?::text, ?::text, ?::text, ?::text) AS sql"
    const { rows: made } = await connection.query(change, [rows[0]?.role, rows[0]?.database, name, value])
    await connection.query(made[0]?.sql, [])
  }
  return whatLiesWhere(connection)
}

/** Distributes those tables that are not yet. */
export async function distributeTables(connection: Connection, shards = 32): Promise<void> {
  await connection.query("SET LOCAL citus.multi_shard_modify_mode = 'sequential'", [])
  const { rows } = await connection.query(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND oid NOT IN
      (SELECT logicalrelid FROM pg_dist_partition WHERE partmethod <> 'n' OR repmodel = 't')`,
    [],
  )
  const undivided = new Set(rows.map(({ name }) => name))
  const made: string[] = []
  for (const [table, placement] of Object.entries(placements)) {
    if (placement === 'local' || !undivided.has(table)) continue
    const beside = table === leads ? `colocate_with => 'none', shard_count => ${shards}` : `colocate_with => '${leads}'`
    await connection.query(
      placement === 'reference'
        ? `SELECT create_reference_table('${table}')`
        : `SELECT create_distributed_table('${table}', 'account_id', ${beside})`,
      [],
    )
    made.push(table)
  }
  // The rows were copied, and the old ones are hidden. They are removed too, or the copy of an erased lead would stay.
  for (const table of made) {
    await connection.query(`SELECT truncate_local_data_after_distributing_table('${table}')`, [])
  }
}

/** @throws Refused where there is no coordinator with workers */
export async function assertCluster(connection: Connection): Promise<void> {
  if (!(await hasCitus(connection))) {
    throw new Refused('the database lacks Citus: CREATE EXTENSION citus in it, here and on each worker')
  }
  const { rows } = await connection.query(
    `SELECT count(*) FILTER (WHERE groupid = 0) AS coordinators, count(*) FILTER (WHERE groupid > 0 AND shouldhaveshards)
      AS workers FROM pg_dist_node WHERE isactive AND noderole = 'primary'`,
    [],
  )
  if (rows[0]?.coordinators === 0) {
    throw new Refused('the workers do not know their coordinator: SELECT citus_set_coordinator_host(HOST, PORT)')
  }
  if (rows[0]?.workers === 0) throw new Refused('there is no worker: SELECT citus_add_node(HOST, PORT) for each')
}

async function whatLiesWhere({ query }: Connection): Promise<Distribution> {
  const { rows } = await query(
    `SELECT logicalrelid::text AS name, nodename || ':' || nodeport AS node, count(*) AS shards
      FROM pg_dist_shard JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
      WHERE noderole = 'primary' GROUP BY 1, 2 ORDER BY 2`,
    [],
  )
  const { rows: coordinators } = await query(
    "SELECT nodename || ':' || nodeport AS node FROM pg_dist_node WHERE groupid = 0 AND noderole = 'primary'",
    [],
  )
  const entries = Object.entries(placements).map(([table, placement]) => {
    const shards = rows.filter(({ name }) => name === table).map(({ node, shards }) => [node, shards])
    const local = [[coordinators[0]?.node, 1]]
    return [table, { placement, shards: Object.fromEntries(placement === 'local' ? local : shards) }]
  })
  return Object.fromEntries(entries)
}
