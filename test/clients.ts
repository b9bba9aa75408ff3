// `npm run test:clients`: clients that others generate from the descriptions compile, and call all three operations.
// Both generators stand on the compiler's interface, which TypeScript 7 does not have: the folder installs 5.9, in a
// copy, so that its packages stay out of reach of our own tests.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { eventKinds } from '../src/core/events.ts'
import { sampleOf } from '../src/events/samples.ts'
import { installation, owner } from './support/lastcall.ts'

const place = installation({ after })
const { key } = await owner(place)
const server = await place.serve()
const folder = join(place.folder, 'clients')

function run(program: string, ...args: string[]): void {
  execFileSync(program, args, { cwd: folder, stdio: ['ignore', 2, 2] })
}

const node = (...args: string[]) => run(process.execPath, ...args)

before(() => {
  cpSync(join(import.meta.dirname, 'clients'), folder, { recursive: true })
  run('npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund')
  const described = `${server.base}/openapi.json`
  node('node_modules/openapi-typescript/bin/cli.js', described, '-o', 'generated/openapi-typescript.ts')
  const ofEvents = `${server.origin}/api/events/v1/openapi.json`
  node('node_modules/openapi-typescript/bin/cli.js', ofEvents, '-o', 'generated/events.ts')
  node('node_modules/@hey-api/openapi-ts/bin/run.js', '--input', described, '--no-log-file')
})

test('all compile with TypeScript 5.9, strictly', () => {
  node('node_modules/typescript/bin/tsc', '-p', '.')
})

test('what is told has a type for each kind', async () => {
  const { linesOf } = await import(pathToFileURL(join(folder, 'generated', 'built', 'events.js')).href)
  const lines = eventKinds.flatMap((kind) => linesOf(sampleOf(kind)))
  assert.equal(lines.length, eventKinds.length)
  for (const line of lines) assert.doesNotMatch(line, /undefined/)
})

for (const client of ['openapi-typescript', 'hey-api'])
  test(`the client of ${client} calls all three operations`, async () => {
    const { callAll } = await import(pathToFileURL(join(folder, 'generated', 'built', `${client}.js`)).href)
    const { deadlines, mailTimerUrl, ...rest } = await callAll(server.base, key, `${client}@example.com`)
    assert.deepEqual(rest, { name: 'Autumn course', created: true, error: 'LEAD_NOT_FOUND' })
    assert.match(deadlines[0], /^\d{4}-\d\d-\d\dT[\d:]{8}Z$/)
    assert.equal(deadlines[1], deadlines[0])
    assert.match(mailTimerUrl, /\/timer\/pl\/[\da-f]{32}\.gif$/)
  })
