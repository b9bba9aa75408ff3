// The server takes its own schemas at their word.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { routes } from '../../src/http/panel/routes.ts'
import * as publicSchemas from '../../src/http/public/schemas.ts'
import * as widgetSchemas from '../../src/http/visitor/widget-schemas.ts'

const ofPanel = Object.entries(routes).flatMap(([name, { body, query }]) => [
  [`${name}: body`, body],
  [`${name}: query`, query],
])
const exported = Object.entries({ ...publicSchemas, ...widgetSchemas }).filter(([, one]) => typeof one === 'object')
const schemas = [...ofPanel, ...exported].filter(([, one]) => one !== undefined) as [string, object][]

test('every schema that bodies and queries are held against is a JSON schema', () => {
  assert.ok(ofPanel.length > 20 && exported.length > 5)
  const ajv = new Ajv2020()
  for (const [name, schema] of schemas) assert.ok(ajv.validateSchema(schema), `${name}: ${ajv.errorsText()}`)
})
