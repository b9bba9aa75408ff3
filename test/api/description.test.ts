// The machine-readable description says what the specification says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openShop } from '../support/api.ts'
import { descriptionOf, findingsIn } from '../support/description.ts'

const shop = openShop()
type Json = any

const live = () => descriptionOf(shop.server)

function resolve(description: Json, node: Json): Json {
  if (typeof node?.$ref !== 'string') return node
  const names: string[] = node.$ref.slice(2).split('/')
  return names.reduce((at: Json, name) => at[name], description)
}

const statuses = {
  'get /campaigns': [200, 400, 401, 403, 422, 429, 500, 503],
  'post /campaigns/{campaignId}/leads': [200, 201, 400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503],
  'post /campaigns/{campaignId}/leads/lookup': [200, 400, 401, 403, 404, 413, 415, 422, 429, 500, 503],
}

const operations = (description: Json) =>
  Object.entries<Json>(description.paths).flatMap(([path, item]) =>
    ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'].flatMap((method) =>
      item[method] ? [{ name: `${method} ${path}`, operation: item[method] }] : [],
    ),
  )

test('it is OpenAPI 3.1, version 1.0.0, and a linter finds nothing wrong', async () => {
  const description = await live()
  assert.match(description.openapi, /^3\.1\.\d+$/)
  assert.equal(description.info.version, '1.0.0')
  const findings = await findingsIn(description, 'spec')
  assert.deepEqual(
    findings.filter(({ severity }) => severity === 'error').map(({ message, pointer }) => [message, pointer]),
    [],
  )
})

test('it is clean under recommended-strict, where a warning is an error, and CampaignSummary has a use', async () => {
  const description = await live()
  const findings = await findingsIn(description, 'recommended-strict')
  assert.deepEqual(
    findings.map(({ ruleId, pointer }) => [ruleId, pointer]),
    [],
  )
  const { items } = description.components.schemas.CampaignList.properties
  assert.deepEqual(items.items, { $ref: '#/components/schemas/CampaignSummary' })
})

test('its server is relative, and means the base address', async () => {
  const { servers } = await live()
  assert.equal(servers.length, 1)
  const [{ url }] = servers
  assert.doesNotMatch(url, /^[a-z]+:|^\/\//i)
  const resolved = new URL(url, `${shop.server.base}/openapi.json`).href.replace(/\/$/, '')
  assert.equal(resolved, shop.server.base)
})

test('the copy for download is the same, but for its absolute server', async () => {
  const server = 'https://offers.example.com/api/public/v1'
  const { stdout, stderr } = await shop.place.runShared(['openapi', '--server', server])
  assert.equal(stderr, '', 'no word about PUBLIC_URL, which is not used')
  const copy = JSON.parse(stdout)
  assert.deepEqual(
    copy.servers.map(({ url }: { url: string }) => url),
    [server],
  )
  const { servers: _, ...rest } = copy
  const { servers: __, ...restOfLive } = await live()
  assert.deepEqual(rest, restOfLive)
})

test('it has the three operations with their statuses', async () => {
  const found = operations(await live()).filter(({ name }) => !name.includes('openapi.json'))
  const listed = found.map(({ name, operation }) => [name, Object.keys(operation.responses).map(Number).sort()])
  assert.deepEqual(Object.fromEntries(listed), statuses, 'a new operation, or status, belongs into `statuses`')
})

test('every answer has its headers and a closed JSON schema', async () => {
  const description = await live()
  for (const { name, operation } of operations(description)) {
    if (name.includes('openapi.json')) continue
    for (const [status, reference] of Object.entries(operation.responses)) {
      const where = `${name} ${status}`
      const response = resolve(description, reference)
      const required = ['X-Request-Id', 'Cache-Control']
      if (status === '401') required.push('WWW-Authenticate')
      if (status === '429') required.push('Retry-After')
      const headers = Object.entries<Json>(response.headers ?? {}).map(
        ([header, node]) => [header.toLowerCase(), resolve(description, node)] as const,
      )
      for (const header of required) {
        const declared = headers.find(([declared]) => declared === header.toLowerCase())?.[1]
        assert.ok(declared?.required, `${where}: ${header}`)
      }
      const rated = !['401', '403', '500', '503'].includes(status)
      for (const header of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'])
        if (rated)
          assert.ok(
            headers.some(([declared]) => declared === header),
            `${where}: ${header}`,
          )
      assert.deepEqual(Object.keys(response.content), ['application/json'], where)
    }
  }
})

function assertClosed(description: Json, node: Json, where: string): void {
  if (Array.isArray(node)) for (const [at, one] of node.entries()) assertClosed(description, one, `${where}/${at}`)
  if (node === null || typeof node !== 'object' || Array.isArray(node)) return
  // a closed schema that another one narrows stays closed
  const narrows = /\/allOf\/[1-9]\d*$/.test(where)
  if (!narrows && [node.type].flat().includes('object')) {
    const isClosed = node.additionalProperties === false || node.unevaluatedProperties === false
    assert.ok(isClosed, `${where} is open to undeclared properties`)
  }
  for (const [name, value] of Object.entries(node))
    if (!['example', 'examples', 'default', 'enum', 'const'].includes(name))
      assertClosed(description, value, `${where}/${name}`)
}

test('no object of a request or an answer is open', async () => {
  const description = await live()
  assertClosed(description, description.components.schemas, 'schemas')
  for (const { name, operation } of operations(description))
    if (!name.includes('openapi.json')) {
      assertClosed(description, operation.requestBody ?? {}, name)
      assertClosed(description, operation.responses, name)
    }
})

test('parameters and bodies have the limits of the specification', async () => {
  const description = await live()
  const all = new Map(operations(description).map(({ name, operation }) => [name, operation]))
  const list = all.get('get /campaigns')
  const parameters = new Map<string, Json>(
    list.parameters
      .map((one: Json) => resolve(description, one))
      .filter((one: Json) => one.in === 'query')
      .map((one: Json) => [one.name, resolve(description, one.schema)]),
  )
  assert.deepEqual([...parameters.keys()].sort(), ['afterId', 'isDraft', 'limit'])
  const { type, minimum, maximum, default: otherwise } = parameters.get('limit')
  assert.deepEqual([type, minimum, maximum, otherwise], ['integer', 1, 100, 50])
  assert.deepEqual([parameters.get('afterId').type, parameters.get('afterId').minimum], ['integer', 1])
  assert.equal(parameters.get('isDraft').type, 'boolean')

  for (const name of ['post /campaigns/{campaignId}/leads', 'post /campaigns/{campaignId}/leads/lookup']) {
    const operation = all.get(name)
    const body = resolve(description, operation.requestBody)
    assert.equal(body.required, true)
    assert.deepEqual(Object.keys(body.content), ['application/json'])
    const input = resolve(description, body.content['application/json'].schema)
    assert.deepEqual(Object.keys(input.properties).sort(), ['email', 'language'])
    assert.deepEqual(input.required, ['email'])
    const email = resolve(description, input.properties.email)
    assert.deepEqual([email.type, email.format, email.maxLength], ['string', 'email', 254])
    assert.equal(email.pattern, '^\\S(?:.*\\S)?$')
    const language = resolve(description, input.properties.language)
    assert.deepEqual([language.type, language.enum], ['string', ['en', 'pl']])
    // Generators of clients take a property with `default` for required.
    assert.ok(!('default' in language))
    assert.match(language.description, /`en` where it is left out/)
  }
})

test('it asks for a bearer key', async () => {
  const description = await live()
  const schemes = Object.entries<Json>(description.components.securitySchemes)
  assert.deepEqual(
    schemes.map(([, { type, scheme }]) => [type, scheme]),
    [['http', 'bearer']],
  )
  const name = schemes[0]?.[0] ?? ''
  for (const {
    name: operation,
    operation: { security },
  } of operations(description))
    if (!operation.includes('openapi.json')) assert.deepEqual(security ?? description.security, [{ [name]: [] }])
})
