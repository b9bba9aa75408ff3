// The server takes its own schemas at their word.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { conversionOperations } from '../../src/http/conversions/api.ts'
import { eventOperations } from '../../src/http/events/operations.ts'
import { routes } from '../../src/http/panel/routes.ts'
import * as publicSchemas from '../../src/http/public/schemas.ts'
import * as widgetSchemas from '../../src/http/visitor/widget-schemas.ts'

const ofPanel = Object.entries(routes).flatMap(([name, { body, query }]) => [
  [`${name}: body`, body],
  [`${name}: query`, query],
])
const ofApisBeside = [...eventOperations, ...conversionOperations].flatMap(({ method, path, query, body }) => [
  [`${method} ${path}: body`, body],
  [`${method} ${path}: query`, query],
])
const exported = Object.entries({ ...publicSchemas, ...widgetSchemas }).filter(([, one]) => typeof one === 'object')
const schemas = [...ofPanel, ...ofApisBeside, ...exported].filter(([, one]) => one !== undefined) as [string, object][]
/** Formats of answers, which are written by their schemas, and not held against them. */
const isOfAnswers = /"format":"(?:date-time|uri|uuid)"/

test('every schema that bodies and queries are held against is a JSON schema, and can be compiled', () => {
  assert.ok(ofPanel.length > 20 && ofApisBeside.length > 20 && exported.length > 5)
  const ajv = new Ajv2020({ strict: true, strictTypes: false, formats: { email: true } })
  for (const [name, schema] of schemas) {
    assert.ok(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}`)
    if (!isOfAnswers.test(JSON.stringify(schema))) assert.doesNotThrow(() => ajv.compile(schema), name)
  }
})
