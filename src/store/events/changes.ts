// Changes to endpoints, each with its entry in the audit log, and notes on how their servers do.
import { isDeepStrictEqual } from 'node:util'
import { type EndpointSettings, mostEndpoints, type Notice, noticeKinds } from '../../core/events.ts'
import { formatInstant, instantOrNull, type Seconds } from '../../core/instant.ts'
import { type ActOn, type Actor, addAuditEntry, addCount } from '../audit.ts'
import { ChangedMeanwhile, Refused } from '../errors.ts'
import type { Row, Sql } from '../sql.ts'
import {
  type Endpoint,
  type EndpointOf,
  findEndpoint,
  type Health,
  listEndpoints,
  notDeleted,
  type PauseCause,
  setsWell,
  settingsOf,
  toEndpoint,
  updateEndpoint,
} from './endpoint.ts'
import { changeRows, discardFailed, key, keyIn, putFailed, queues, removeSome, retryAtOnce } from './queue.ts'
import { heldBack, startSweepOfEach, startSweeps, sweepCauses } from './sweeps.ts'

/** After so many failed tries in a row the endpoint's server is left alone for a while. */
export const failuresToStop = 5

/** After an outage with fewer failures, only what failed later than so many seconds into it is due at once. */
const downSeconds = 60

const seenAtOnce = 2_000

const mostOldSecrets = 10

/** @throws Refused where the account has as many as it may */
export async function createEndpoint(sql: Sql, accountId: number, settings: EndpointSettings, by: Actor) {
  await sql.beginChange(accountId)
  if ((await listEndpoints(sql, accountId)).length >= mostEndpoints) {
    throw new Refused(`an account has at most ${mostEndpoints} endpoints; delete one first`)
  }
  const row = await sql.get(
    'INSERT INTO endpoints (account_id, settings, created_at, generation) VALUES (?, ?, ?, ?) RETURNING *',
    ...[accountId, JSON.stringify(settings), by.at, generationAfter(0, by)],
  )
  const endpoint = toEndpoint(row as Row)
  await startSweepOfEach(sql, endpoint, 'looks', by.at)
  await log(sql, by, endpoint, 'created', null, logged(settings))
  return endpoint
}

/** Counts the change, and reads the endpoint as it is: until the transaction ends nobody else changes it. */
async function toChange(sql: Sql, { accountId, id }: EndpointOf) {
  await sql.beginChange(accountId)
  return findEndpoint(sql, accountId, id)
}

/** The settings as the audit log has them: of the URL only the host, since the rest may work like a password. */
const logged = (settings: EndpointSettings) => ({ ...settings, url: new URL(settings.url).host })

async function log(
  sql: Sql,
  by: Actor,
  { accountId, id, settings: { name } }: Endpoint,
  done: ActOn<'webhook'>,
  before: object | null,
  after: object | null,
): Promise<void> {
  const subject = { kind: 'webhook', id, name } as const
  await addAuditEntry(sql, by, { accountId, action: `webhook.${done}`, subject, before, after })
}

/**
 * Where a URL was given, the caller goes on with `resetTries`. Undefined if the endpoint is gone. @throws
 * ChangedMeanwhile if its settings are not those that were read
 */
export async function changeEndpoint(sql: Sql, read: Endpoint, settings: EndpointSettings, by: Actor) {
  const before = await toChange(sql, read)
  if (before === undefined) return undefined
  if (!isDeepStrictEqual(before.settings, read.settings)) throw new ChangedMeanwhile()
  const isElsewhere = before.settings.url !== settings.url
  // How the server at the old URL did says nothing about the new one.
  const columns = `settings = ?${isElsewhere ? `, ${setsWell}` : ''}`
  const endpoint = (await updateEndpoint(sql, before, [columns, JSON.stringify(settings)])) as Endpoint
  const wanted = ({ kinds, campaignIds, leadTimes }: EndpointSettings) =>
    JSON.stringify([kinds, campaignIds, leadTimes])
  if (wanted(before.settings) !== wanted(settings)) await startSweepOfEach(sql, endpoint, 'looks', by.at)
  if (!isDeepStrictEqual(before.settings, settings)) {
    const [old, next] = [logged(before.settings), logged(settings)]
    const isOtherPath = isElsewhere && old.url === next.url
    await log(sql, by, endpoint, 'changed', old, { ...next, ...(isOtherPath && { isOtherPath }) })
  }
  return endpoint
}

/**
 * From now on only erasures are noted for the endpoint, unless it is paused because its server fails. One that is paused
 * as `deleted` is removed bit by bit (`purge`).
 */
export async function pauseEndpoint(sql: Sql, endpoint: EndpointOf, cause: PauseCause, by: Actor): Promise<void> {
  const before = await toChange(sql, endpoint)
  if (before !== undefined) await pause(sql, before, cause, by)
}

/**
 * The same because of what its server answered. Not if it was paused meanwhile, or has another URL: what the old server
 * answered no longer counts. Nor if somebody has let it go on: then the days of failing begin again.
 */
export async function pauseFailing(sql: Sql, read: Endpoint, cause: 'gone' | 'failing', by: Actor): Promise<void> {
  const before = await toChange(sql, read)
  const isSame = before?.pausedAt === null && before.settings.url === read.settings.url
  if (isSame && (cause === 'gone' || before.failingSince === read.failingSince)) await pause(sql, before, cause, by)
}

async function pause(sql: Sql, before: Endpoint, cause: PauseCause, by: Actor): Promise<void> {
  // The instant of the first pause stays: almost nothing was noted since, so it will go on from there.
  const setsPausedAt = "paused_at = CASE WHEN pause_cause IN ('user', 'gone') THEN paused_at ELSE ? END"
  await updateEndpoint(sql, before, [`${setsPausedAt}, pause_cause = ?`, by.at, cause])
  if (cause === 'deleted') await log(sql, by, before, 'deleted', logged(before.settings), null)
  else if (before.pauseCause !== cause) await log(sql, by, before, 'paused', onOrWhy(before), { paused: cause })
}

const onOrWhy = ({ pauseCause }: Endpoint) => ({ paused: pauseCause ?? false })

/**
 * Lets an endpoint go on where it stopped, or from `wantedFrom`. One that is on keeps what waits all the same: somebody
 * may repeat a request whose answer was lost.
 */
export async function resumeEndpoint(sql: Sql, of: Endpoint, wantedFrom: Seconds | null, by: Actor): Promise<void> {
  const endpoint = await toChange(sql, of)
  if (endpoint === undefined) return
  const { pausedAt } = endpoint
  const fromAt = pausedAt === null ? null : wantedFrom
  // After a pause it is free for the node that asks first.
  const setsOn = `paused_at = NULL, pause_cause = NULL, ${setsWell},
    lease_ends_at = CASE WHEN paused_at IS NULL THEN lease_ends_at END`
  const after = await updateEndpoint(sql, endpoint, [`${setsOn}, from_at = coalesce(?, from_at)`, fromAt])
  const retried = await retryAtOnce(sql, endpoint, by.at)
  // An endpoint that was not paused has its looks.
  if (pausedAt !== null) await startSweepsAfterPause(sql, endpoint, pausedAt, fromAt, by.at)
  if (retried === 0 && isDeepStrictEqual(endpoint, after)) return
  const goesOnFrom = fromAt === null ? 'where it stopped' : formatInstant(fromAt)
  await log(sql, by, endpoint, 'resumed', onOrWhy(endpoint), { paused: false, goesOnFrom })
}

/** After a pause all leads get their next looks again: from where it began or, with `fromAt`, from now on. */
async function startSweepsAfterPause(
  sql: Sql,
  endpoint: Endpoint,
  pausedAt: Seconds,
  fromAt: Seconds | null,
  now: Seconds,
) {
  const { accountId, id, pauseCause } = endpoint
  const [looks, edit, resumed] = (['looks', 'edit', 'resumed'] as const).map((cause) => sweepCauses.indexOf(cause))
  const underWay = `account_id = ? AND endpoint_id = ? AND begun_at <> ${heldBack}`
  const first = `SELECT min(begun_at) AS at FROM sweeps WHERE ${underWay} AND cause IN (${looks}, ${edit})`
  const firstBegunAt = (await sql.get(first, accountId, id))?.at ?? pausedAt
  const beginNow = `UPDATE sweeps SET begun_at = ? WHERE ${underWay} AND cause <> ${resumed}`
  // In the pause nothing was noted for it, not even of new leads; a backfill can tell of those.
  if (pauseCause !== 'failing') await sql.run(beginNow, now, accountId, id)
  if (fromAt !== null) return startSweepOfEach(sql, endpoint, 'looks', now)
  // Leads that a sweep had not reached by the pause have had no look since that sweep began.
  return startSweepOfEach(sql, endpoint, 'resumed', Math.min(pausedAt, firstBegunAt), { from: pausedAt, until: now })
}

/** Drops what was due before `fromAt`. Of what had failed the first is removed here, the rest by `discardFailed`. */
export async function discardBefore(sql: Sql, endpoint: Endpoint, fromAt: Seconds, by: Actor): Promise<void> {
  if ((await toChange(sql, endpoint)) === undefined) return
  // If it goes on from a later instant already, that stays.
  const later = 'UPDATE endpoints SET from_at = ? WHERE account_id = ? AND id = ? AND from_at < ?'
  const isLater = (await sql.run(later, fromAt, endpoint.accountId, endpoint.id, fromAt)) > 0
  const removed = await discardFailed(sql, endpoint, fromAt)
  if (isLater || removed > 0) await log(sql, by, endpoint, 'discarded', null, { dueBefore: formatInstant(fromAt) })
}

/**
 * By the clock: in a backup that is restored, ids of endpoints and numbers of secrets are those of before, and the next
 * ones must not be the secrets that somebody else got since.
 */
const generationAfter = (generation: number, { at }: Actor) => Math.max(generation + 1, at)

/**
 * The old secret also signs until `oldUntil`, and those before it until their own instants. With null none of them
 * signs any more.
 */
export async function rotateSecret(sql: Sql, endpoint: Endpoint, oldUntil: Seconds | null, by: Actor) {
  const before = await toChange(sql, endpoint)
  if (before === undefined) return undefined
  const { generation, oldSecrets } = before
  const stillGood = oldSecrets.filter(({ until }) => until > by.at)
  const old = oldUntil === null ? [] : [{ generation, until: oldUntil }, ...stillGood].slice(0, mostOldSecrets)
  await log(sql, by, before, 'secret_rotated', null, { oldWorksUntil: instantOrNull(oldUntil) })
  const next = generationAfter(generation, by)
  return updateEndpoint(sql, before, ['generation = ?, old_secrets = ?', next, JSON.stringify(old)])
}

export async function startBackfill(sql: Sql, endpoint: Endpoint, campaignId: number, by: Actor): Promise<void> {
  // Of an endpoint that was deleted meanwhile a row would stay for good.
  if ((await toChange(sql, endpoint)) === undefined) return
  await startSweeps(sql, endpoint.accountId, [{ endpointId: endpoint.id, campaignId }], 'backfill', by.at)
  await log(sql, by, endpoint, 'backfilled', null, { campaignId })
}

/**
 * Written only while the endpoint has the address and the health that were read: otherwise it is the health of another,
 * or older than what let it go on. Once the server takes something again, what it failed to answer is due at once.
 */
export async function setHealth(sql: Sql, read: Endpoint, health: Health, now: Seconds): Promise<void> {
  const { accountId, id, settings, failures, failingSince, nextTryAt } = read
  const which = `account_id = ? AND id = ? AND ${notDeleted}`
  const current = await sql.get(`SELECT settings FROM endpoints WHERE ${which}`, accountId, id)
  if (current === undefined || settingsOf(current.settings).url !== settings.url) return
  const changed = await sql.run(
    `UPDATE endpoints SET failing_since = ?, failures = ?, next_try_at = ? WHERE ${which}
      AND settings = ? AND failures = ? AND coalesce(failing_since, 0) = ? AND coalesce(next_try_at, 0) = ?`,
    ...[health.failingSince, health.failures, health.nextTryAt, accountId, id],
    ...[current.settings, failures, failingSince ?? 0, nextTryAt ?? 0],
  )
  if (changed === 0 || health.failures > 0 || failures === 0) return
  // But not what failed before this outage, or at the beginning of a short one: a server that fails now and then would
  // be sent all of that each time it is well again.
  const failedSince = (failingSince ?? 0) + (failures < failuresToStop ? downSeconds : 0)
  await retryAtOnce(sql, read, now, failedSince)
}

/** Has an event told again at once. */
export async function resend(sql: Sql, endpoint: Endpoint, notice: Notice, by: Actor): Promise<void> {
  if ((await findEndpoint(sql, endpoint.accountId, endpoint.id)) === undefined) return
  const askedFor = { ...notice, tries: 0, refused: 0, isAskedFor: true, nextAt: by.at, lastAt: by.at }
  await putFailed(sql, endpoint.accountId, [askedFor])
  await log(sql, by, endpoint, 'resent', null, { count: 1 })
}

/**
 * The same for what was given up since then, as far as it may still be told. It looks at `seenAtOnce` that failed, those
 * behind the key `after`: a million, of which nothing may be told, would stop everything else meanwhile. Since 0: all that
 * is kept. Resolves with how many, and the key from which the next step goes on, null at the end.
 */
export async function resendFailed(
  sql: Sql,
  endpoint: Endpoint,
  since: Seconds,
  by: Actor,
  after: readonly number[] = [],
): Promise<{ count: number; next: number[] | null }> {
  const { accountId, id, settings } = endpoint
  // No campaign has the id 0: it is there because a list in SQL needs at least one item.
  const heard = settings.campaignIds && [0, ...settings.campaignIds]
  const published = `SELECT id FROM campaigns WHERE account_id = ? AND is_draft = 0
    ${heard === null ? '' : `AND id IN (${heard.map(() => '?').join(', ')})`}`
  const campaign = `CASE WHEN lead_id < 0 THEN -lead_id ELSE
    (SELECT campaign_id FROM leads AS l WHERE l.account_id = ? AND l.id = failed_deliveries.lead_id) END`
  const mayBeTold = `CASE WHEN next_at IS NULL AND last_at >= ?
    THEN kind = ${noticeKinds.indexOf('lead.erased')} OR ${campaign} IN (${published}) END`
  const rows = await sql.all(
    `SELECT ${key}, ${mayBeTold} AS may_be_told FROM failed_deliveries WHERE account_id = ? AND endpoint_id = ?
      ${after.length > 0 ? `AND (${key}) > (?, ?, ?, ?)` : ''} ORDER BY ${key} LIMIT ${seenAtOnce}`,
    ...[since, accountId, accountId, ...(heard ?? []), accountId, id, ...after],
  )
  const told = rows.filter((row) => row.may_be_told).map(keyIn)
  const change = 'UPDATE failed_deliveries SET tries = 0, refused = 0, is_asked_for = 1, next_at = ?, last_at = ?'
  await changeRows(sql, endpoint, key, told, [change, by.at, by.at])
  const count = told.length
  const subject = { kind: 'webhook', id, name: settings.name } as const
  const counted = { count, ...(since > 0 && { failedSince: formatInstant(since) }) }
  if (count > 0) await addCount(sql, by, { accountId, action: 'webhook.resent', subject, before: null, after: counted })
  const last = rows.length === seenAtOnce ? rows.at(-1) : undefined
  return { count, next: last === undefined ? null : keyIn(last) }
}

/** Removes a part of what a deleted endpoint leaves, and at last the endpoint. True once nothing is left. */
export async function purge(sql: Sql, endpoint: EndpointOf): Promise<boolean> {
  const { accountId, id } = endpoint
  // First: it waits for a node that is writing notices for leads, and later none does. One that stores the outcome of a
  // round at the very end may leave a few rows, which nobody reads.
  await sql.run('DELETE FROM sweeps WHERE account_id = ? AND endpoint_id = ?', accountId, id)
  for (const table of queues) if ((await removeSome(sql, endpoint, table)) > 0) return false
  await sql.run('DELETE FROM endpoints WHERE account_id = ? AND id = ?', accountId, id)
  return true
}
