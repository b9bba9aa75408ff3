// The list of faults is true of the code as it is: `npm run test:mutants` takes too long to be run with every change.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { mutants } from './mutants.ts'

const root = join(import.meta.dirname, '..', '..')

test('every line stands once in its file, and every test is there', () => {
  for (const { file, line, tests } of mutants) {
    assert.equal(readFileSync(join(root, file), 'utf8').split(line).length, 2, `${file}: ${line}`)
    for (const path of tests) assert.ok(existsSync(join(root, path)), path)
  }
})
