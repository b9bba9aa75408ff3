// A migration is killed before each of its statements, the COMMIT among them; in the short form before every thirtieth.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { tester } from '../support/actor.ts'
import { amount, between, printSeed } from '../support/faults.ts'
import { type Installation, installation, withoutTables } from '../support/lastcall.ts'
import { ask } from '../support/postgres-databases.ts'
import { command, several } from '../support/prepared.ts'
import { engine } from '../support/test-database.ts'

const driver = engine === 'sqlite' ? 'faulty-sqlite.ts' : 'faulty-pg.ts'
const preload = `--import=${import.meta.resolve(`../support/${driver}`)}`

/** Everything about the tables that their rows do not say. */
async function schemaOf(place: Installation): Promise<unknown> {
  if (engine === 'postgres')
    return ask(
      place.databaseUrl,
      `SELECT table_name AS of, column_name AS name, data_type AS is FROM information_schema.columns
        WHERE table_schema = 'public'
       UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
       ORDER BY 1, 2`,
    )
  const database = new DatabaseSync(place.databasePath)
  assert.equal(database.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok')
  const schema = database.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY 1, 2').all()
  database.close()
  return schema.map((row) => ({ ...row }))
}

/** The long form has some two hundred migrations, on a machine that may have other work. */
const timeout = amount(300_000, 1_800_000)

test('a migration killed at any statement is finished by the next start', { timeout }, async (t) => {
  const whole = installation(t, withoutTables)
  const { version } = await whole.json(['migrate'])
  const expected = await schemaOf(whole)
  const step = amount(45, 1)
  const first = Math.floor(between(1, step + 1))
  const statements = Array.from({ length: Math.ceil(600 / step) }, (_, index) => first + index * step)
  let survived = 0
  let killed = 0
  await several(3, statements, async (statement) => {
    // The first that comes through has fewer statements than that, and so have all later ones.
    if (survived > 0) return
    const place = installation(t, withoutTables)
    const env = {
      DATABASE_URL: place.databaseUrl,
      NODE_OPTIONS: preload,
      TEST_KILL_AT: String(statement),
    }
    const { code, stderr } = await command(['migrate'], { env })
    assert.ok(code === null || code === 0, stderr)
    if (code === null) killed += 1
    else survived += 1
    assert.equal((await place.json(['migrate'])).version, version, `killed before statement ${statement}`)
    assert.deepEqual(await schemaOf(place), expected, `killed before statement ${statement}`)
    assert.equal((await place.arrange((store) => store.configuration.createAccount('First', tester))).id, 1)
  })
  assert.ok(killed > amount(2, 15) && survived > 0, `killed at ${killed} statements`)
  printSeed(t)
  t.diagnostic(`killed at ${killed} statements`)
})
