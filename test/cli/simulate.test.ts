// `simulate` shows what the rules do to one lead, without a database.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { someOf } from '../support/faults.ts'
import { command, root, sharedCommand } from '../support/prepared.ts'

const cases = JSON.parse(readFileSync(join(root, 'test', 'core', 'mechanism-cases.json'), 'utf8'))
type More = { run?: typeof command; cwd?: string; env?: Record<string, string> }

const expected = (story: any) => story.events.map((event: any) => event.expect)

test('simulate', { concurrency: 4 }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-simulate-'))
  t.after(() => rmSync(folder, { recursive: true }))
  // A database that cannot be: it is not looked at.
  const env = { DATABASE_URL: `file:${folder}/none/lastcall.db`, INIT_CWD: folder }
  const told = async (args: string[], input = '', { run = sharedCommand, ...more }: More = {}) => {
    const { code, stdout, stderr } = await run(['simulate', ...args], { env, input, ...more })
    assert.equal(code, 0, stderr)
    assert.equal(stderr, '')
    return JSON.parse(stdout)
  }
  const [first] = cases
  mkdirSync(join(folder, 'below'))
  writeFileSync(join(folder, 'below', 'one.json'), JSON.stringify(first))

  await Promise.all([
    t.test('all worked cases at once', async () => {
      assert.ok(cases.length > 10)
      assert.deepEqual(await told([], JSON.stringify(cases)), cases.map(expected))
    }),
    t.test('one document', async () => {
      assert.deepEqual(await told([], JSON.stringify(first)), expected(first))
    }),
    t.test('an array of one, and of none', async () => {
      assert.deepEqual(await told([], JSON.stringify([first])), [expected(first)])
      assert.deepEqual(await told([], '[]'), [])
    }),
    t.test('a file, from where the caller stands', async () => {
      assert.deepEqual(await told(['below/one.json']), expected(first))
      assert.deepEqual(await told([join(folder, 'below', 'one.json')]), expected(first))
      const { INIT_CWD: _, ...direct } = env
      assert.deepEqual(await told(['one.json'], '', { cwd: join(folder, 'below'), env: direct }), expected(first))
    }),
    t.test('a lead that does not exist yet', async () => {
      const { campaign } = first
      const events = [
        { do: 'lookup', at: '2026-06-01T10:00:00Z' },
        { do: 'extend', at: '2026-06-01T10:00:00Z', to: '2026-07-01T10:00:00Z' },
        { do: 'register', at: '2026-06-01T10:00:00Z' },
      ]
      const answers = await told([], JSON.stringify({ name: 'x', campaign, events }))
      assert.deepEqual(answers.slice(0, 2), [{ found: false }, { found: false }])
      assert.equal(answers[2].created, true)
      assert.deepEqual(await told([], JSON.stringify({ campaign, events: [] })), [])
    }),
    t.test('at a terminal it says what it waits for, where no file is named', async () => {
      const terminal = `import { Readable } from 'node:stream'
        const value = Object.assign(Readable.from([Buffer.from('[]')]), { isTTY: true })
        Object.defineProperty(process, 'stdin', { value })`
      const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(terminal)}`
      const said = async (args: string[]) =>
        (await command(['simulate', ...args], { env: { ...env, NODE_OPTIONS } })).stderr
      assert.equal(await said([]), 'lastcall: no FILE is given: type the document, and end it with Ctrl-D\n')
      assert.equal(await said(['below/one.json']), '')
    }),
    t.test('the same answers in every zone of the server', async () => {
      const zones = someOf(['Pacific/Kiritimati', 'America/St_Johns', 'Asia/Kathmandu'], 2)
      const inZone = (TZ: string) => told([], JSON.stringify(cases), { run: command, env: { ...env, TZ } })
      const answers = await Promise.all(zones.map(inZone))
      for (const answer of answers) assert.deepEqual(answer, cases.map(expected))
    }),
  ])
  assert.deepEqual(readdirSync(folder), ['below'], 'it made a file')
})
