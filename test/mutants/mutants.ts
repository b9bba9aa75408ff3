// One-line faults, each with the tests that must see it. A line that is no longer there fails the run.
export type Mutant = {
  file: string
  /** Stands once in the file. */
  line: string
  fault: string
  /** Files of tests, of which one must fail. */
  tests: string[]
  /** On PostgreSQL, where a test stands on one engine at a time. */
  onPostgres?: boolean
  /** The fault makes something wait for ever, which no test can tell: its tests must come to no end. */
  hangs?: boolean
}

const inApi = (name: string) => [`test/api/${name}.test.ts`]
const inFaults = (name: string) => [`test/faults/${name}.test.ts`]
const inVisitor = (name: string) => [`test/visitor/${name}.test.ts`]
const inPanel = (name: string) => [`test/panel-api/${name}.test.ts`]
const attempt = ['test/core/attempt.test.ts']
const writtenTogether = ['test/store/written-together.test.ts']
const olderDatabase = ['test/sqlite/older-database.test.ts']
const historyTrouble = ['test/history/trouble.test.ts']

const core: Mutant[] = [
  { file: 'src/core/rate-window.ts', line: 'used < limit', fault: 'used <= limit', tests: inApi('rate-limit') },
  {
    file: 'src/core/rate-window.ts',
    line: 'minute > windowMinute',
    fault: 'minute !== windowMinute',
    tests: inFaults('clock'),
  },
  { file: 'src/core/offer.ts', line: 'page.eligible)', fault: 'page.eligible || true)', tests: inApi('warnings') },
  { file: 'src/core/email.ts', line: 'emailMaxLength = 254', fault: 'emailMaxLength = 255', tests: inApi('email') },
  {
    file: 'src/core/errors.ts',
    line: 'bodyLimitBytes = 16_384',
    fault: 'bodyLimitBytes = 16_385',
    tests: inApi('body-size'),
  },
  { file: 'src/core/cta-link.ts', line: "name !== 'lc'", fault: 'true', tests: ['test/core/cta-link.test.ts'] },
  { file: 'src/config.ts', line: 'missing: 120,', fault: 'missing: 121,', tests: inApi('rate-limit') },
  ...[
    ['now >= deadline)', 'now > deadline)'],
    ['now < opensAt', 'now <= opensAt'],
    ['resets < (reset.max', 'resets <= (reset.max'],
    ['now >= retryAt', 'now > retryAt'],
    ['resets: attempt.resets + 1', 'resets: attempt.resets'],
  ].map(([line, fault]) => ({
    ...{ file: 'src/core/mechanism/attempt.ts', line: line as string, fault: fault as string, tests: attempt },
  })),
]

const http: Mutant[] = [
  {
    file: 'src/http/framework.ts',
    line: 'hosts.length === 1 && hostAndPort.test(hosts[0] as string)',
    fault: 'hosts.length === 1',
    tests: ['test/http/protocol.test.ts'],
  },
  {
    file: 'src/http/framework.ts',
    line: 'return hosts.length === 1 && ',
    fault: 'return ',
    tests: ['test/http/protocol.test.ts'],
  },
  {
    file: 'src/http/framework.ts',
    line: "return httpVersion === '1.0'",
    fault: 'return true',
    tests: ['test/http/protocol.test.ts'],
  },
  {
    file: 'src/http/framework.ts',
    line: '...(isHttps && {',
    fault: '...({',
    tests: inPanel('http'),
  },
  {
    file: 'src/http/framework.ts',
    line: 'trustProxy.length > 0 ? trustProxy : false',
    fault: 'true',
    tests: inVisitor('rate'),
  },
  {
    file: 'src/http/framework.ts',
    line: 'closeAllMs = 8_000',
    fault: 'closeAllMs = 3_000',
    tests: inFaults('stopping'),
  },
  {
    file: 'src/http/framework.ts',
    line: "if (app.isStopping && request.url !== '/healthz') throw new Refusal('SERVICE_UNAVAILABLE')",
    fault: '',
    tests: inVisitor('unavailable'),
  },
  {
    file: 'src/http/framework.ts',
    line: 'app.isStopping = true',
    fault: '',
    tests: inFaults('stopping'),
  },
  { file: 'src/http/json.ts', line: '!isUtf8(body)', fault: 'false', tests: inApi('body-json') },
  {
    file: 'src/http/json.ts',
    line: "JSON.parse(body.toString('utf8'))",
    fault: "Object.assign({}, JSON.parse(body.toString('utf8')))",
    tests: inApi('body-json'),
  },
  {
    file: 'src/http/json.ts',
    line: "body.toString('utf8')",
    fault: "body.toString('utf8').replace(/^\\uFEFF/, '')",
    tests: inApi('body-json'),
  },
  { file: 'src/http/json.ts', line: 'types.length !== 1', fault: 'types.length === 0', tests: inApi('media-type') },
  { file: 'src/http/json.ts', line: '!isInUtf8(types[0] as string)', fault: 'false', tests: inApi('media-type') },
  { file: 'src/http/json.ts', line: '!plain.test(encoding)', fault: 'false', tests: inApi('media-type') },
  {
    file: 'src/http/overload.ts',
    line: 'return !isLate && used',
    fault: 'return used',
    tests: inFaults('overload'),
  },
]

const publicApi: Mutant[] = [
  {
    file: 'src/http/public/api.ts',
    line: 'if (reply.elapsedTime < changeHoldsMs) return',
    fault: 'return',
    tests: inApi('change-holds'),
  },
  {
    file: 'src/http/public/schemas.ts',
    line: 'Array.from({ length: pageMaxSize }',
    fault: 'Array.from({ length: pageMaxSize + 1 }',
    tests: inApi('query-parameters'),
  },
  {
    file: 'src/http/public/leads.ts',
    line: "config: { operation: 'lookupLead' },\n      bodyLimit: bodyLimitBytes,",
    fault: "config: { operation: 'lookupLead' },",
    tests: inApi('body-size'),
  },
  {
    file: 'src/http/public/leads.ts',
    line: 'leads.register(campaignOf(request), request.body.email,',
    fault: 'leads.register(campaignOf(request), request.body.email.toLowerCase(),',
    tests: inApi('email'),
  },
  {
    file: 'src/http/public/leads.ts',
    line: 'await withinASecond(registered, request.waitedMs)',
    fault: 'await registered',
    tests: inFaults('postgres/slow'),
  },
  {
    file: 'src/http/public/api.ts',
    line: "if (given.length === 0) return unauthorized(reply, '')",
    fault:
      "if (request.is404) return sendError(reply, 'NOT_FOUND')\n    if (given.length === 0) return unauthorized(reply, '')",
    tests: inApi('routing'),
  },
  {
    file: 'src/http/public/api.ts',
    line: 'request.key = key\n    const',
    fault: "if (request.is404) return sendError(reply, 'NOT_FOUND')\n    request.key = key\n    const",
    tests: inApi('rate-limit'),
  },
  {
    file: 'src/http/public/api.ts',
    line: "if (request.is404) return sendError(reply, 'NOT_FOUND')",
    fault: '',
    tests: inApi('order-of-checks'),
  },
  {
    file: 'src/http/public/api.ts',
    line: 'given.length === 1 ?',
    fault: 'given.length > 0 ?',
    tests: inApi('bearer-key'),
  },
  {
    file: 'src/http/public/api.ts',
    line: "if (account.suspended) return sendError(reply, 'ACCOUNT_SUSPENDED')",
    fault: '',
    tests: inApi('change-holds'),
  },
  {
    file: 'src/http/public/api.ts',
    line: 'afterEach(scope, (request, reply) => noteRequest(parts, request, reply))',
    fault: '',
    tests: inApi('history'),
  },
  {
    file: 'src/http/public/api.ts',
    line: 'if (key === undefined || !isRight) return undefined',
    fault: 'if (key === undefined) return undefined',
    tests: inApi('bearer-key'),
  },
  {
    file: 'src/http/public/api.ts',
    line: 'nowMs < key.graceEndsAt * 1_000',
    fault: 'true',
    tests: inApi('key-in-grace'),
  },
  {
    file: 'src/leads/leads.ts',
    line: 'known?.accountId !== of.accountId',
    fault: 'known === undefined',
    tests: inApi('campaign-id'),
  },
  {
    file: 'src/leads/leads.ts',
    line: "campaign.isDraft ? 'CAMPAIGN_NOT_PUBLISHED' : undefined",
    fault: 'undefined',
    tests: inApi('change-holds'),
  },
]

const visitor: Mutant[] = [
  {
    file: 'src/http/visitor/timers.ts',
    line: 'scope.setErrorHandler((error, request, reply) => sendNothing(reply, failed(error, request)))',
    fault: '',
    tests: inVisitor('unavailable'),
  },
  {
    file: 'src/http/visitor/timers.ts',
    line: '.catch((error) => failed(error, request))',
    fault: '',
    tests: inVisitor('unavailable'),
  },
  {
    file: 'src/http/visitor/timers.ts',
    line: 'Buffer.from(drawn.subarray(0, length))',
    fault: 'drawn.subarray(0, length)',
    tests: inVisitor('images'),
  },
  { file: 'src/http/visitor/timers.ts', line: "request.method !== 'HEAD'", fault: 'true', tests: inVisitor('counts') },
  { file: 'src/http/visitor/links.ts', line: "method !== 'HEAD'", fault: 'true', tests: inVisitor('counts') },
  {
    file: 'src/http/visitor/links.ts',
    line: 'account.suspended || campaign.isDraft',
    fault: 'account.suspended',
    tests: inVisitor('links'),
  },
  {
    file: 'src/http/visitor/links.ts',
    line: 'account.suspended || campaign.isDraft',
    fault: 'campaign.isDraft',
    tests: inVisitor('links'),
  },
  {
    file: 'src/http/visitor/widget-api.ts',
    line: 'if (body.website)',
    fault: 'if (false)',
    tests: inVisitor('widget-api'),
  },
  {
    file: 'src/http/visitor/widget-api.ts',
    line: "body.visit && fetcher !== 'scanner'",
    fault: 'body.visit',
    tests: inVisitor('widget-api'),
  },
  {
    file: 'src/http/visitor/widget-api.ts',
    line: 'await sleep(formAnswerMs - (spentMs % formAnswerMs))',
    fault: 'await sleep(spentMs - spentMs)',
    tests: inVisitor('widget-api'),
  },
  {
    file: 'src/http/visitor/widget-api.ts',
    line: 'formAnswerMs - (spentMs % formAnswerMs)',
    fault: 'formAnswerMs',
    tests: inVisitor('widget-api'),
  },
  { file: 'src/http/visitor/links.ts', line: ', queryOf(url))', fault: ')', tests: inVisitor('links') },
  {
    file: 'src/leads/visitors.ts',
    line: 'if (!registered.created)',
    fault: 'if (false)',
    tests: inVisitor('widget-api'),
  },
  { file: 'src/leads/visitors.ts', line: '!campaign?.isDraft ?', fault: 'true ?', tests: inVisitor('widget-api') },
  {
    file: 'src/leads/leads.ts',
    line: 'isVisitorName(lead.email) ? undefined : lead',
    fault: 'lead',
    tests: inVisitor('widget-api'),
  },
]

const panel: Mutant[] = [
  {
    file: 'src/http/panel/api.ts',
    line: 'if (isForeign(request.headers, publicUrl)) throw foreignOrigin(publicUrl)',
    fault: '',
    tests: inPanel('http'),
  },
  {
    file: 'src/http/panel/api.ts',
    line: 'const session = mayHaveChanged ? await sessionFor(parts, route, request, true) : request.session',
    fault: 'const session = request.session',
    tests: inPanel('roles'),
  },
  {
    file: 'src/http/panel/api.ts',
    line: "scope.addHook('onRequest', admit(parts))",
    fault: "scope.addHook('preValidation', admit(parts))",
    tests: inPanel('http'),
  },
  {
    file: 'src/http/panel/api.ts',
    line: "if (session === undefined) throw new PanelRefusal('SIGNED_OUT')",
    fault: '',
    tests: inPanel('http'),
  },
  {
    file: 'src/http/panel/api.ts',
    line: "if (userId !== String(session.user.id)) throw new PanelRefusal('SIGNED_OUT')",
    fault: '',
    tests: inPanel('http'),
  },
  {
    file: 'src/http/panel/api.ts',
    line: 'session === undefined || campaign?.accountId !== session.account.id',
    fault: 'campaign === undefined',
    tests: ['test/panel/security.test.ts'],
  },
  {
    file: 'src/http/panel/keys.ts',
    line: 'key?.accountId !== accountId',
    fault: 'key === undefined',
    tests: ['test/panel/security.test.ts'],
  },
  {
    file: 'src/http/panel/api.ts',
    line: 'session.account.suspended && !reads',
    fault: 'false',
    tests: inPanel('campaigns'),
  },
  {
    file: 'src/http/panel/session-cookie.ts',
    line: 'httpOnly: true',
    fault: 'httpOnly: false',
    tests: inPanel('http'),
  },
  {
    file: 'src/http/panel/campaigns.ts',
    line: 'revisionOf(asFile(standing)) === body.revision',
    fault: 'standing !== undefined',
    tests: inPanel('campaigns'),
  },
]

const store: Mutant[] = [
  {
    file: 'src/store/campaigns.ts',
    line: 'await sql.beginChange(accountId)\n  const by = asOfNow(actor)\n  if ((await',
    fault: 'const by = asOfNow(actor)\n  await sql.beginChange(accountId)\n  if ((await',
    tests: ['test/store/postgres-exact.test.ts'],
  },
  {
    file: 'src/store/keys.ts',
    line: 'api_keys.id = ? AND revoked_at IS NULL',
    fault: 'api_keys.id = ?',
    tests: inApi('bearer-key'),
  },
  {
    file: 'src/store/campaigns.ts',
    line: 'is_draft, archived_at FROM campaigns WHERE account_id = ?',
    fault: 'is_draft, archived_at FROM campaigns WHERE ? IS NOT NULL',
    tests: inApi('paging'),
  },
  {
    file: 'src/store/campaigns.ts',
    line: "rest = 'AND id > ? ORDER BY id LIMIT ?'",
    fault: "rest = 'AND id >= ? ORDER BY id LIMIT ?'",
    tests: inApi('paging'),
  },
  {
    file: 'src/campaigns/config-cache.ts',
    line: 'found === undefined && drop()',
    fault: 'found',
    tests: ['test/store/config-cache.test.ts'],
  },
  {
    file: 'src/store/table-copy.ts',
    line: "if ((await count(to, 'accounts')) > 0)",
    fault: 'if (false)',
    tests: ['test/process/copy.test.ts'],
  },
  {
    file: 'src/history/history.ts',
    line: 'if (waiting === mostWaiting)',
    fault: 'if (waiting < 0)',
    tests: historyTrouble,
  },
  { file: 'src/history/history.ts', line: 'age(batch) < timeoutMs', fault: 'false', tests: historyTrouble },
  ...['table', 'deliveries'].map((name) => ({
    file: `src/history/${name}.ts`,
    line: 'ON CONFLICT DO NOTHING',
    fault: '',
    tests: ['test/history/table.test.ts'],
  })),
]

const sqlite: Mutant[] = [
  {
    file: 'src/store/sqlite/database.ts',
    line: "connection.run('COMMIT')\n    return result",
    fault: "setImmediate(() => connection.run('COMMIT'))\n    return result",
    tests: inFaults('sqlite/disk'),
  },
  {
    file: 'src/store/sqlite/lead-writer.ts',
    line: 'answers.push(() => resolve(answer))',
    fault: 'resolve(answer)',
    tests: inFaults('sqlite/disk'),
  },
  {
    file: 'src/store/sqlite/file.ts',
    line: 'PRAGMA synchronous = FULL',
    fault: 'PRAGMA synchronous = OFF',
    tests: ['test/sqlite/settings.test.ts'],
  },
  {
    file: 'src/store/sqlite/database.ts',
    line: "connection.exec('PRAGMA synchronous = FULL')",
    fault: '',
    tests: ['test/sqlite/settings.test.ts'],
  },
  {
    file: 'src/store/sqlite/lead-writer.ts',
    line: 'if (read.version === database.version) return read',
    fault: 'return read',
    tests: writtenTogether,
  },
  {
    file: 'src/store/sqlite/lead-writer.ts',
    line: 'const lead = await leads.find(campaign, email)',
    fault: 'const lead = undefined as Lead | undefined',
    tests: writtenTogether,
  },
  {
    file: 'src/store/migrations/0005-one-table-of-leads.sqlite.sql',
    line: 'INSERT OR IGNORE INTO lead_emails (campaign_id, email, id)',
    fault:
      'DELETE FROM leads WHERE id > (SELECT filed_up_to FROM filing);\nINSERT OR IGNORE INTO lead_emails (campaign_id, email, id)',
    tests: olderDatabase,
  },
  {
    file: 'src/store/migrations/0014-lead-ids.sqlite.sql',
    line: 'CREATE UNIQUE INDEX',
    fault: 'CREATE INDEX',
    tests: olderDatabase,
  },
  {
    file: 'src/store/sqlite/database.ts',
    line: '    lookForChanges(database)\n    const result',
    fault: '    const result',
    tests: olderDatabase,
  },
  {
    file: 'src/store/sqlite/database.ts',
    line: '!database.isNewer && database.connection.isSameFile()',
    fault: 'database.connection.isSameFile()',
    tests: olderDatabase,
  },
  { file: 'src/store/sqlite/database.ts', line: 'database.onNewer?.()', fault: '', tests: olderDatabase },
  {
    file: 'src/store/sqlite/database.ts',
    line: 'if (database.isInDoubt) reopen(database)',
    fault: '',
    tests: inFaults('sqlite/disk'),
  },
  {
    file: 'src/store/sqlite/file.ts',
    line: 'const giveUpClaim = claim(path, migrationWaitMs)\n',
    fault: 'const giveUpClaim = () => {}\n',
    tests: olderDatabase,
  },
  {
    file: 'src/store/sqlite/file.ts',
    line: 'version > 0 && version < latestVersion && !isClaimed',
    fault: 'false',
    tests: olderDatabase,
  },
  {
    file: 'src/store/sqlite/leads.ts',
    line: 'eraseTraces: (email) => eraseTraces(database, email)',
    fault: 'eraseTraces: async () => {}',
    tests: ['test/sqlite/erase.test.ts'],
  },
]

const postgres: Mutant[] = [
  {
    file: 'src/store/postgres/rates.ts',
    line: 'least($2, $3 - ',
    fault: 'least($2, $2 + 0 * ',
    tests: inApi('rate-limit'),
    onPostgres: true,
  },
  {
    file: 'src/store/postgres/lead-writer.ts',
    line: ' ON CONFLICT DO NOTHING RETURNING',
    fault: ' RETURNING',
    tests: writtenTogether,
  },
  {
    file: 'src/store/migrations/0002-leads.postgres.sql',
    line: ',\n  UNIQUE (account_id, campaign_id, email)',
    fault: '',
    tests: writtenTogether,
  },
  {
    file: 'src/store/postgres/lead-writer.ts',
    line: "written = written === 'exists' ?",
    fault: 'written = !expectsNew ?',
    tests: writtenTogether,
  },
  {
    file: 'src/store/postgres/lead-writer.ts',
    line: 'const isCurrent = campaign.version === version',
    fault: 'const isCurrent = true',
    tests: writtenTogether,
  },
  {
    file: 'src/store/postgres/lead-writer.ts',
    line: "findLeads('FOR UPDATE')",
    fault: "findLeads('')",
    tests: writtenTogether,
  },
  {
    file: 'src/store/postgres/sql-on.ts',
    line: 'SET LOCAL synchronous_commit = off',
    fault: 'SET synchronous_commit = off',
    tests: ['test/store/postgres-exact.test.ts'],
  },
  {
    file: 'src/store/postgres/sql-on.ts',
    line: 'await connection.rows(shareLock, [lockOf(accountId)])',
    fault: '',
    tests: writtenTogether,
  },
  {
    file: 'src/store/postgres/sql-on.ts',
    line: "await query('SELECT pg_advisory_xact_lock(?)', [lockOf(accountId)])",
    fault: '',
    tests: writtenTogether,
  },
  {
    file: 'src/store/postgres/sql-on.ts',
    line: 'await connection.rows(shareLock, [countsLockOf(accountId)])',
    fault: '',
    tests: ['test/store/counts-of-the-gone.test.ts'],
  },
  {
    file: 'src/store/postgres/connection.ts',
    line: "const ended = together(client, () => [last(connection, known), client.query('COMMIT')])",
    fault:
      "const ended = [await last(connection, known)] as const\n    setImmediate(() => client.query('COMMIT').catch(() => {}))",
    tests: writtenTogether,
  },
  {
    file: 'src/store/postgres/announcements.ts',
    line: '        onNewerDatabase?.()',
    fault: '',
    tests: inFaults('postgres/taken-away'),
  },
  {
    file: 'src/store/postgres/announcements.ts',
    line: 'Buffer.compare(row.ref_key, refKey) === 0',
    fault: 'true',
    tests: inFaults('postgres/taken-away'),
  },
  { file: 'src/store/seal.ts', line: 'audience: purpose,\n', fault: '', tests: ['test/store/second-factor.test.ts'] },
]

const audit: Mutant[] = [
  ...[
    ['campaigns.ts', 'if (!isSame) await logCampaign(sql, by, before ?', 'logCampaign(sql, by, before ?'],
    ['sqlite/lead-writer.ts', 'await addLeadEntries(database.sql, entries)', ''],
    ['audit.ts', 'addressSeconds = 30 * 86_400', 'addressSeconds = 60 * 86_400'],
    ['audit.ts', "(subject <> 'campaign'", "('' <> 'campaign'"],
    ['audit.ts', 'later.id > old.id AND later.at < ?', 'later.id > old.id AND later.at > ?'],
    ['events/changes.ts', 'url: new URL(settings.url).host', 'url: settings.url'],
  ].map(([file, line, fault]) => ({
    ...{ file: `src/store/${file}`, line: line as string, fault: fault as string },
    tests: file === 'events/changes.ts' ? ['test/cli/audit.test.ts'] : ['test/store/audit.test.ts'],
  })),
]

const inOffers = ['test/store/conversions.test.ts']
const inReport = ['test/store/sales.test.ts']
const inGate = ['test/core/gate.test.ts']

const offers: Mutant[] = [
  ...[
    ['now < ending.deadline + graceSeconds', 'now <= ending.deadline + graceSeconds'],
    ["offer.state === 'scheduled' && offer.cycle > 1", 'false'],
    ['at !== null && at > now', 'at !== null && at >= now'],
    ['Math.min(mostAgeSeconds, Math.floor(leftMs / 1_000))', 'mostAgeSeconds'],
    ['Math.floor(leftMs / 1_000)', 'Math.ceil(leftMs / 1_000)'],
    ["state === 'open' || state === 'pending'", "state === 'open'"],
  ].map(([line, fault]) => ({ file: 'src/core/gate.ts', line: line as string, fault: fault as string, tests: inGate })),
  { file: 'src/http/visitor/gate.ts', line: 'isOpen ? 204 : 403', fault: '204', tests: inVisitor('gate') },
  {
    file: 'src/leads/leads.ts',
    line: 'found?.campaignId !== campaign.id',
    fault: 'found === undefined',
    tests: inVisitor('gate'),
  },
  { file: 'src/core/order.ts', line: 'closes && !isOver', fault: 'closes', tests: inOffers },
  {
    file: 'src/core/order.ts',
    line: 'offerAt(terms, attempt, now).state',
    fault: 'offerAt(terms, attempt, at).state',
    tests: inOffers,
  },
  {
    file: 'src/core/money.ts',
    line: 'return Number(digits)',
    fault: 'return Number(text)',
    tests: inApi('conversions'),
  },
  {
    file: 'src/leads/conversions.ts',
    line: ' || lead.attempt.byHand?.deadlineAt !== closedAt',
    fault: '',
    tests: inOffers,
  },
  {
    file: 'src/store/migrations/0009-conversions.postgres.sql',
    line: 'UNIQUE (account_id, campaign_id, order_id)',
    fault: 'UNIQUE (campaign_id, order_id)',
    tests: ['test/store/placements.test.ts'],
    onPostgres: true,
  },
  {
    file: 'src/store/migrations/0009-conversions.sqlite.sql',
    line: 'UNIQUE (account_id, campaign_id, order_id)',
    fault: 'UNIQUE (order_id)',
    tests: inOffers,
  },
  {
    file: 'src/store/conversions.ts',
    line: 'campaign?.accountId !== of.accountId',
    fault: 'campaign === undefined',
    tests: inOffers,
  },
  {
    file: 'src/store/conversions.ts',
    line: ' AND id = ? AND reversed_at IS NULL',
    fault: ' AND id = ?',
    tests: inOffers,
  },
  {
    file: 'src/store/conversions.ts',
    line: 'at < byHand.setAt ?',
    fault: 'false ?',
    tests: ['test/store/conversions.test.ts'],
  },
  {
    file: 'src/store/lead-lists.ts',
    line: "['ends_at', 'begins_at', 'id']",
    fault: "['ends_at', 'begins_at', 'email']",
    tests: ['test/store/lead-pages.test.ts'],
  },
  { file: 'src/store/sales.ts', line: 'deadline_at > at THEN 6', fault: 'deadline_at >= at THEN 6', tests: inReport },
  {
    file: 'src/store/sales.ts',
    line: 'deadline_at > at + 604800',
    fault: 'deadline_at >= at + 604800',
    tests: inReport,
  },
  {
    file: 'src/events/plan.ts',
    line: 'convertedAt !== null && convertedAt <= at',
    fault: 'false',
    tests: ['test/events/no-wrong-mail.test.ts'],
  },
]

const eventMutants: [file: string, line: string, fault: string, test: string][] = [
  ['core/moments.ts', 'byHand?.setAt ?? anchorAt', 'anchorAt', 'core/moments'],
  ['core/moments.ts', ' && hasVaryingWindows(attempt) ? from', ' && false ? from', 'core/moments'],
  ['core/moments.ts', ' && !isEmpty(offer)', '', 'core/moments'],
  ['core/moments.ts', "if (state === 'pending')", "if (state === 'pending' || attempt.number > 2)", 'core/moments'],
  ['core/events.ts', 'Math.min(deadlineAt, endsAt ?? deadlineAt)', 'deadlineAt', 'core/moments'],
  ['core/events.ts', 'isDraft ? undefined : changeBetween', 'false ? undefined : changeBetween', 'core/moments'],
  ['events/plan.ts', 'now - oldSeconds', '0', 'events/truth'],
  ['events/plan.ts', 'if (dueAt < endpoint.fromAt) return', 'if (false) return', 'events/truth'],
  ['events/plan.ts', 'campaign.isDraft ? []', 'false ? []', 'events/truth'],
  ['events/plan.ts', 'if (of.campaign.isDraft) return', 'if (false) return', 'events/truth'],
  [
    'events/plan.ts',
    '(of.campaign.isDraft) return { due, events: [], isHeld: isToBeHeld(due, now) }',
    '(of.campaign.isDraft) return { due, events: [] }',
    'events/truth',
  ],
  ['events/round.ts', 'if (!isTroubled) Object.assign(health, afterOutage(health))', '', 'events/rounds'],
  ['events/round.ts', 'Math.min(health.failures, failuresToStop - 1)', 'health.failures', 'events/rounds'],
  ['store/events/queue.ts', 'isElsewhere ? once.map(fromStart) : once', 'once', 'events/rounds'],
  ['events/plan.ts', 'isAskedFor || (isTrue', '(isTrue', 'events/truth'],
  ['events/plan.ts', ' && one.detail === detail', '', 'events/truth'],
  ['events/plan.ts', 'return campaign?.isDraft ?', 'return false ?', 'events/truth'],
  ['events/round.ts', 'if (withOthers) return', 'if (false) return', 'events/truth'],
  ['events/round.ts', 'endpoint.failures >= failuresToStop ? oneOf', 'false ? oneOf', 'events/rounds'],
  ['events/round.ts', 'one.events.filter((event) => !settled.has(event))', '[] as Event[]', 'events/truth'],
  ['events/sweep.ts', 'pause ? pause.until - 1 : begunAt', 'begunAt', 'events/truth'],
  ['events/sweep.ts', 'pause.until - 1', 'pause.until', 'events/truth'],
  ['events/sweep.ts', 'editedAt(one) >= endpoint.fromAt', 'editedAt(one) > endpoint.fromAt', 'events/truth'],
  ['events/plan.ts', 'deadlineAt(at) === deadlineAt(now)', 'true', 'events/truth'],
  ['events/sweep.ts', 'isHeld === true ? Math.max(until, begunAt) : until', 'Math.max(until, begunAt)', 'events/truth'],
  ['events/sweep.ts', 'begunAt, lead.registeredAt)', 'begunAt)', 'events/truth'],
  ['store/events/sweeps.ts', 'if (written === 0) return', '', 'store/events'],
  [
    'store/events/leases.ts',
    ' AND paused_at IS NULL AND begun_at <> ',
    ' AND paused_at IS NULL AND -2 <> ',
    'events/truth',
  ],
  ['store/events/changes.ts', 'if (fromAt !== null) return', 'if (true) return', 'events/truth'],
  ['store/events/leases.ts', 'OR lease_ends_at < ', 'OR 0 < ', 'store/events'],
  ['store/events/leases.ts', ' FOR UPDATE SKIP LOCKED', '', 'store/events'],
  [
    'events/dispatcher.ts',
    'lease.renew().then(chores.mayBeMore, failed)',
    'lease.renew().then(chores.mayBeMore)',
    'events/rounds',
  ],
  ['store/events/names.ts', 'filter(({ until }) => now < until)', 'filter(() => true)', 'store/events'],
  ['events/plan.ts', 'later.has(one) ?', 'false ?', 'events/truth'],
  ['store/events/changes.ts', "pause_cause IN ('user', 'gone')", "pause_cause IN ('gone')", 'events/truth'],
  ['store/events/queue.ts', 'if (current === undefined) return', '', 'events/rounds'],
  ['events/endpoints.ts', 'randomInt(2 ** 47)', 'endpoint.id', 'events/rounds'],
  ['events/round.ts', 'failures >= failuresToStop ? null : ', '', 'events/rounds'],
  ['events/endpoints.ts', 'if (waiting === 0) await endOutage', 'if (waiting < 0) await endOutage', 'events/rounds'],
  ['events/egress.ts', ' || isIn(host, neverRanges)', '', 'events/egress'],
  ['events/sender-thread.ts', 'if (isPlain && !isOperators) throw blocked()', '', 'events/egress'],
  ['events/sender-thread.ts', 'denyIPAddressList: neverRanges', 'denyIPAddressList: []', 'events/egress'],
]
/** Each was once seen by no test. */
const survivors: [file: string, line: string, fault: string, test: string][] = [
  ['leads/leads.ts', 'const before = lead ?? visitor', 'const before = lead', 'visitor/widget-api'],
  ['events/sender-thread.ts', 'isAgain ? filteringOnce : filtering', '!isAgain && filtering', 'events/egress'],
  [
    'events/sender-thread.ts',
    '    ...options,\n',
    '    ...options,\n    rejectUnauthorized: false,\n',
    'events/egress',
  ],
  ['events/round.ts', '18_000, 36_000, 50_400, 72_000, 86_400', '60, 60, 60, 60, 60', 'events/rounds'],
  ['events/round.ts', '900, longestRestSeconds', '900, 60', 'events/rounds'],
  ['events/dispatcher.ts', 'return performance.now() < quietUntil', 'return quietUntil > 0', 'events/rounds'],
  ['events/dispatcher.ts', 'quietMs = 600_000', 'quietMs = 3_000', 'events/rounds'],
  ['events/endpoints.ts', 'needOn(parts)\n      await events.resume', 'await events.resume', 'events/rounds'],
  ['events/endpoints.ts', 'needOn(parts)\n      return testOne', 'return testOne', 'events/rounds'],
  ['store/events/queue.ts', "sharedClock === null ? '' : ", "true ? '' : ", 'store/events'],
  ['store/events/leases.ts', 'leaseSeconds = 22', 'leaseSeconds = 2_200', 'store/events'],
  ['store/events/changes.ts', '.slice(0, mostOldSecrets)', '', 'store/events'],
  ['leads/counting.ts', 'counts.size < mostWaiting', 'true', 'store/counts-apart'],
  ['leads/counting.ts', 'signups.size < mostWaiting', 'true', 'store/counts-apart'],
  ['store/postgres/batcher.ts', 'waiting >= mostWaiting', 'false', 'store/written-together'],
  ['store/sqlite/lead-writer.ts', 'queue.length >= queueSize', 'false', 'store/written-together'],
  ['history/thread.ts', 'waiting.length === mostWaiting', 'false', 'history/trouble'],
  ['leads/leads.ts', '(before.attempt.anchorAt ?? before.attempt.rule)', 'before.attempt.rule', 'store/results'],
  ['leads/counting.ts', 'items.slice(from).forEach(giveBack)', 'items.forEach(giveBack)', 'store/counts-apart'],
  ['leads/counting.ts', 'counts.size + signups.waiting() + keyUses.waiting()', 'counts.size', 'store/counts-apart'],
  ['leads/counting.ts', '      await storing\n', '', 'store/counts-apart'],
  ['leads/open-offers.ts', 'mostOpen - count', 'mostOpen', 'store/results'],
  ['leads/visitors.ts', "'object' ? visited", "'object' ? { ...visited, lead }", 'visitor/widget-api'],
  [
    'history/history.ts',
    'batch.entries.length - left.length : batch.entries.length',
    'batch.entries.length - left.length : 0',
    'history/trouble',
  ],
  ['history/history.ts', ' || batch.isRest ||', ' ||', 'history/trouble'],
  ['access/users.ts', 'longestSeconds = 90 * day', 'longestSeconds = 91 * day', 'panel-api/users'],
  ['access/users.ts', 'if (!isAgain && now - seenAt >= touchSeconds) await', 'if (false) await', 'panel-api/users'],
  [
    'access/users.ts',
    '        await access.endSession(tokenHash)\n        return',
    '        return',
    'panel-api/users',
  ],
  [
    'access/second-factor.ts',
    '  await access.forgetTries(codesOf(userId).name).catch(goOnIfUnavailable)\n',
    '',
    'store/second-factor',
  ],
  ['store/access.ts', ' || invitation.endsAt <= by.at', '', 'panel-api/users'],
  ['store/access.ts', '|| (row.account_id === null && (await hasUsers(sql)))', '', 'panel-api/users'],
  [
    'store/factors.ts',
    "'DELETE FROM recovery_codes WHERE user_id = ?', userId)\n  const",
    "'SELECT ?', userId)\n  const",
    'store/second-factor',
  ],
  ['store/conversions.ts', '!(await hasBought(work.sql, work.campaign, leadId))', 'true', 'store/conversions'],
  [
    'store/conversions.ts',
    'row?.campaign_id === campaign.id ? row.email : undefined',
    'row?.email',
    'store/conversions',
  ],
  ['store/campaigns.ts', 'CASE WHEN ? = 0 THEN NULL', 'CASE WHEN ? = 2 THEN NULL', 'store/audit'],
  [
    'store/campaigns.ts',
    '  await startSweepsAfterSave(sql, before, after, by.at)\n  const action',
    '  const action',
    'events/truth',
  ],
  ['store/campaigns.ts', '    conversion: { closes: false },\n', '', 'sqlite/older-database'],
  ['core/order.ts', 'setByHand(terms, attempt, now, now)', 'setByHand(terms, attempt, at, now)', 'store/conversions'],
  ['cli/leads.ts', '      yield batch\n      batch = []\n', '      yield batch\n', 'cli/leads'],
  ['cli/copy.ts', 'giveUpTarget = claimDatabase(to)', 'giveUpTarget = () => {}', 'process/copy'],
]

const short = [...eventMutants, ...survivors].map(
  ([file, line, fault, name]): Mutant => ({ file: `src/${file}`, line, fault, tests: [`test/${name}.test.ts`] }),
)

export const mutants: Mutant[] = [
  ...audit,
  ...core,
  ...http,
  ...publicApi,
  ...visitor,
  ...panel,
  ...store,
  ...sqlite,
  ...postgres,
  ...offers,
  ...short,
]
