// npm run test:mutants: breaks one line at a time in a copy of the tree, and expects the tests to see it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { templateVariable } from '../support/postgres-databases.ts'
import { sharePostgres } from '../support/shared-postgres.ts'
import { type Mutant, mutants } from './mutants.ts'

const root = join(import.meta.dirname, '..', '..')
const copied = ['src', 'test', 'docs', 'widget', 'panel', 'package.json', 'SECURITY.md']
const timeoutMs = 240_000
/** Of these alone: part of a file's name, of a line, or of the name of a test. */
const [, , only = ''] = process.argv

function copyTree(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lastcall-mutants-'))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const name of copied) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** How the tests of a mutant ended. */
type End = 'passed' | 'failed' | 'hung'
type Outcome = (typeof outcomes)[End] | 'lost' | 'broken'
const outcomes = { passed: 'survived', failed: 'caught', hung: 'hung' } as const

/** Whether tests pass without a fault, at the second try if need be: what fails anyway catches nothing. */
const sound = new Map<string, Promise<boolean>>()

/** `caught` where the tests fail, as they should; `lost` where the line is not there, `broken` where they always do. */
async function tried(folder: string, { file, line, fault, tests, onPostgres = false }: Mutant): Promise<Outcome> {
  const key = `${tests} ${onPostgres}`
  const run = () => endOf(folder, tests, onPostgres)
  const isSound = async () => (await run()) === 'passed' || (await run()) === 'passed'
  if (!sound.has(key)) sound.set(key, isSound())
  if (!(await sound.get(key))) return 'broken'
  const path = join(folder, file)
  const whole = readFileSync(path, 'utf8')
  if (whole.split(line).length !== 2) return 'lost'
  writeFileSync(
    path,
    whole.replace(line, () => fault),
  )
  try {
    // Twice, as without the fault: a busy machine fails tests too.
    let end = await run()
    if (end === 'failed') end = await run()
    return outcomes[end]
  } finally {
    writeFileSync(path, whole)
  }
}

async function endOf(folder: string, tests: string[], onPostgres: boolean): Promise<End> {
  const child = spawn(process.execPath, ['--test', ...tests], {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, LASTCALL_TEST_ENGINE: onPostgres ? 'postgres' : 'sqlite' },
    // A group of its own, with all that the tests start.
    detached: true,
  })
  const end = () => {
    try {
      process.kill(-(child.pid as number), 'SIGKILL')
    } catch {} // nobody is left
  }
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    end()
  }, timeoutMs)
  const [code] = await once(child, 'close')
  clearTimeout(timer)
  end()
  if (isLate) return 'hung'
  return code === 0 ? 'passed' : 'failed'
}

const folder = copyTree()
const cluster = await sharePostgres()
// A database gets its tables by the migrations of the copy, in which the fault may be.
delete process.env[templateVariable]
let bad = 0
for (const mutant of mutants.filter(({ file, line, tests }) => `${file} ${line} ${tests}`.includes(only))) {
  const outcome = await tried(folder, mutant)
  if (outcome !== (mutant.hangs ? 'hung' : 'caught')) bad += 1
  console.log(`${outcome.padEnd(9)}${mutant.file}: ${mutant.line.trim()} -> ${mutant.fault.trim().split('\n')[0]}`)
}
await cluster.stop()
console.log(bad === 0 ? 'All mutants were caught.' : `${bad} were not caught.`)
process.exitCode = bad === 0 ? 0 : 1
