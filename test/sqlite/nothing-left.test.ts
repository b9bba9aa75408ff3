// Of a lead, a campaign or an endpoint that is gone no table has a row. Tables are found by their columns: this fails
// for a new one whose rows stay.
import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { furnished, json } from '../support/furnished.ts'
import { arrangeIn } from '../support/lastcall.ts'

/** How many rows have the id 1 in this column, of each table that has such a column. */
function rowsOfFirst(url: string, column: string): Record<string, number> {
  const database = new DatabaseSync(fileURLToPath(url))
  const tables = database
    .prepare(`SELECT tables.name FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
      WHERE tables.type = 'table' AND columns.name = ?`)
    .all(column)
    .map(({ name }) => String(name))
  const rows = (table: string) => database.prepare(`SELECT * FROM ${table} WHERE ${column} = 1`).all().length
  const counts = tables.map((table): [string, number] => [table, rows(table)])
  database.close()
  return Object.fromEntries(counts)
}

/** The tables that still have rows of the first one once `remove` is done; before it all of them had some. */
async function left(t: TestContext, column: string, remove: (url: string) => Promise<unknown>): Promise<string[]> {
  const { url } = await furnished(t)
  const without = Object.entries(rowsOfFirst(url, column)).filter(([, rows]) => rows === 0)
  assert.deepEqual(without, [], 'furnished.ts gives each table a row')
  await remove(url)
  const after = rowsOfFirst(url, column)
  return Object.keys(after).filter((table) => after[table] !== 0)
}

test('no table has a row of an erased lead but notices, which nobody is told of', async (t) => {
  const erase = ['lead', 'erase', '--campaign', '1', '--email', 'lead-0@example.com']
  assert.deepEqual(await left(t, 'lead_id', (url) => json(url, erase)), ['failed_deliveries', 'notices'])
})

test('no table has a row of a deleted campaign', async (t) => {
  assert.deepEqual(await left(t, 'campaign_id', (url) => json(url, ['campaign', 'delete', '1', '--yes'])), [])
})

test('no table has a row of a deleted endpoint once the server has removed what waited for it', async (t) => {
  const remove = async (url: string) => {
    await json(url, ['webhook', 'delete', '1', '--account', '1', '--yes'])
    await arrangeIn(url, async ({ events }) => {
      const [endpoint] = await events.deletedEndpoints()
      assert.ok(endpoint)
      while (!(await events.purge(endpoint))) {}
    })
  }
  assert.deepEqual(await left(t, 'endpoint_id', remove), [])
})
