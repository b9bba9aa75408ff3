// One-line faults, each with the tests that must see it. A line that is no longer there fails the run.
export type Mutant = { file: string; line: string; fault: string; tests: string[] }

const request = 'src/http/public/request.ts'
const api = 'src/http/public/api.ts'
const attempt = 'src/core/mechanism/attempt.ts'
const rate = 'src/core/rate-window.ts'
const configuration = 'src/store/configuration.ts'
const writer = 'src/store/sqlite/lead-writer.ts'
const plain = 'src/http/plain.ts'
const connection = 'src/http/connection.ts'
const leads = 'src/leads.ts'
const reader = 'src/store/postgres/lead-reader.ts'
const insert = 'src/store/postgres/lead-writer.ts'

const inApi = (...names: string[]) => names.map((name) => `test/api/${name}.test.ts`)
const inCore = (...names: string[]) => names.map((name) => `test/core/${name}.test.ts`)

export const mutants: Mutant[] = [
  {
    file: request,
    line: 'result.limit > 100',
    fault: 'result.limit > 101',
    tests: inApi('query-parameters'),
  },
  { file: api, line: 'bodyLimitBytes = 16_384', fault: 'bodyLimitBytes = 16_385', tests: inApi('body-size') },
  { file: 'src/config.ts', line: 'missing: 120,', fault: 'missing: 121,', tests: inApi('rate-limit') },
  { file: rate, line: 'used < limit', fault: 'used <= limit', tests: inApi('rate-limit') },
  {
    file: rate,
    line: 'minute > window.minute',
    fault: 'minute !== window.minute',
    tests: ['test/faults/clock.test.ts'],
  },
  {
    file: api,
    line: 'if (key.account.suspended)',
    fault: 'if (false)',
    tests: inApi('order-of-checks', 'change-holds'),
  },
  {
    file: configuration,
    line: 'api_keys.id = ? AND revoked_at IS NULL',
    fault: 'api_keys.id = ?',
    tests: inApi('bearer-key', 'change-holds'),
  },
  {
    file: 'src/http/public/key-check.ts',
    line: 'return right && works(key as LiveKey, nowMs) ? key : undefined',
    fault: 'return key',
    tests: inApi('bearer-key'),
  },
  {
    file: 'src/http/public/key-check.ts',
    line: 'nowMs < revokedAt * 1_000',
    fault: 'true',
    tests: inApi('key-in-grace'),
  },
  {
    file: configuration,
    line: 'is_draft FROM campaigns WHERE account_id = ?',
    fault: 'is_draft FROM campaigns WHERE ? IS NOT NULL',
    tests: inApi('paging'),
  },
  {
    file: leads,
    line: 'if (campaign?.accountId !== accountId) return',
    fault: 'if (campaign === undefined) return',
    tests: inApi('campaign-id'),
  },
  {
    file: leads,
    line: 'if (campaign?.accountId !== of.accountId) return',
    fault: 'if (campaign === undefined) return',
    tests: inApi('campaign-id'),
  },
  {
    file: leads,
    line: "campaign.isDraft ? 'CAMPAIGN_NOT_PUBLISHED' : undefined",
    fault: 'undefined',
    tests: inApi('order-of-checks'),
  },
  {
    file: request,
    line: 'if (validateLead(value)) return undefined',
    fault:
      'if (validateLead(value)) {\n    ;(value as any).email = (value as any).email.toLowerCase()\n    return undefined\n  }',
    tests: inApi('email'),
  },
  { file: request, line: '!isUtf8(body)', fault: 'false', tests: inApi('body-json') },
  {
    file: configuration,
    line: 'AND id > ? ORDER BY id LIMIT ?',
    fault: 'AND id >= ? ORDER BY id LIMIT ?',
    tests: inApi('paging'),
  },
  {
    file: 'src/core/offer.ts',
    line: 'page.eligible)',
    fault: 'page.eligible || true)',
    tests: inApi('warnings', 'registration'),
  },
  {
    file: 'src/core/email.ts',
    line: 'emailMaxLength = 254',
    fault: 'emailMaxLength = 255',
    tests: inApi('email'),
  },
  { file: attempt, line: 'now >= deadline)', fault: 'now > deadline)', tests: inCore('attempt') },
  { file: attempt, line: 'now < opensAt', fault: 'now <= opensAt', tests: inCore('attempt') },
  { file: attempt, line: 'resets < (reset.max', fault: 'resets <= (reset.max', tests: inCore('attempt') },
  { file: attempt, line: 'now >= retryAt', fault: 'now > retryAt', tests: inCore('attempt') },
  {
    file: attempt,
    line: 'resets: attempt.resets + 1',
    fault: 'resets: attempt.resets',
    tests: inCore('attempt'),
  },
  {
    file: 'src/store/sqlite/database.ts',
    line: "const version = versionIn(connection)\n    connection.run('COMMIT')",
    fault: "const version = versionIn(connection)\n    setImmediate(() => connection.run('COMMIT'))",
    tests: ['test/faults/sqlite/disk.test.ts'],
  },
  {
    file: 'src/store/sqlite/file.ts',
    line: 'PRAGMA synchronous = FULL',
    fault: 'PRAGMA synchronous = OFF',
    tests: ['test/sqlite/settings.test.ts'],
  },
  {
    file: writer,
    line: 'if (read.version === database.version) return read',
    fault: 'return read',
    tests: ['test/store/written-together.test.ts', ...inApi('change-holds')],
  },
  {
    file: writer,
    line: 'const lead = leads.find(campaign, email)',
    fault: 'const lead = undefined as ReturnType<Leads["find"]>',
    tests: inApi('concurrent-registration'),
  },
  {
    file: 'src/store/sqlite/migrations.ts',
    line: 'INSERT OR IGNORE INTO lead_emails (campaign_id, email, id)',
    fault:
      'DELETE FROM leads WHERE id > (SELECT filed_up_to FROM filing);\n  INSERT OR IGNORE INTO lead_emails (campaign_id, email, id)',
    tests: ['test/sqlite/older-database.test.ts'],
  },
  {
    file: 'src/store/sqlite/database.ts',
    line: '    lookForChanges(database)\n    const result',
    fault: '    const result',
    tests: ['test/sqlite/older-database.test.ts'],
  },
  { file: api, line: '    account(parts, call, reply)', fault: '', tests: inApi('history') },
  {
    file: 'src/history/history.ts',
    line: 'if (waiting === mostWaiting)',
    fault: 'if (waiting < 0)',
    tests: ['test/history/trouble.test.ts'],
  },
  { file: 'src/core/cta-link.ts', line: '!isLc(part)', fault: 'true', tests: ['test/core/cta-link.test.ts'] },
  {
    file: 'src/http/visitor/links.ts',
    line: 'found.campaign.isDraft',
    fault: 'false',
    tests: ['test/visitor/links.test.ts'],
  },
  {
    file: reader,
    line: 'greatest(0, least(wanted, most - used))',
    fault: 'wanted',
    tests: ['postgres', ...inApi('rate-limit')],
  },
  {
    file: insert,
    line: 'ON CONFLICT DO NOTHING RETURNING',
    fault: 'RETURNING',
    tests: ['postgres', ...inApi('concurrent-registration')],
  },
  {
    file: insert,
    line: "if (!areFresh?.[(positions[index] as number) - 1]) results.set(lead, 'stale')",
    fault: 'if (false) {}',
    tests: ['postgres', ...inApi('change-holds')],
  },
  {
    file: plain,
    line: 'headers[name] !== undefined || unusual.has(name)',
    fault: 'unusual.has(name)',
    tests: ['test/http/plain.test.ts'],
  },
  {
    file: plain,
    line: '!beginsWith(bytes, head.bytes)',
    fault: 'bytes.length < head.bytes.length',
    tests: ['test/http/plain.test.ts'],
  },
  {
    file: connection,
    line: 'parsedBytes = 2_048',
    fault: 'parsedBytes = 65_536',
    tests: ['test/http/connection.test.ts'],
  },
]
