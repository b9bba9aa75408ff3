// Holds an answer against the live description, and a success against the specification's own lists of fields.
import assert from 'node:assert/strict'
import http from 'node:http'
import { createRequire } from 'node:module'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { Answer } from './api.ts'
import type { Server } from './lastcall.ts'
import { isMailbox } from './mailbox.ts'

type Json = any

const fetched = new WeakMap<Server, Promise<Json>>()

/** The OpenAPI document that this server serves. */
export function descriptionOf(server: Server): Promise<Json> {
  let description = fetched.get(server)
  if (!description) {
    description = fetchDescription(server)
    fetched.set(server, description)
  }
  return description
}

function fetchDescription(server: Server): Promise<Json> {
  return new Promise((resolve, reject) => {
    http
      .get(`${server.base}/openapi.json`, { agent: false }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part) => {
          text += part
        })
        response.on('end', () => {
          if (response.statusCode === 200) resolve(JSON.parse(text))
          else reject(new Error(`the description answers ${response.statusCode} ${text}`))
        })
      })
      .on('error', reject)
  })
}

type Finding = { ruleId: string; severity: string; message: string; pointer: string }

/** What Redocly says against it. */
export async function findingsIn(description: Json, rules: 'spec' | 'recommended-strict'): Promise<Finding[]> {
  // The type of its configuration takes tsc three seconds; what is required like this has none.
  const { createConfig, lintFromString } = createRequire(import.meta.url)('@redocly/openapi-core')
  const config = await createConfig({ extends: [rules] })
  const problems: Json[] = await lintFromString({ source: JSON.stringify(description), config })
  return problems.map(({ location, ...problem }) => ({ ...problem, pointer: location[0]?.pointer }))
}

type Operation = { name: string; responses: Record<string, Json> }

/** The description's operation that a request addresses, or undefined: then it can only be refused. */
export function operationOf(description: Json, method: string, path: string): Operation | undefined {
  for (const [template, item] of Object.entries<Json>(description.paths)) {
    const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
    const operation = item[method === 'HEAD' ? 'get' : method.toLowerCase()]
    if (pattern.test(path) && operation) return { name: template, responses: operation.responses }
  }
  return undefined
}

const ofEveryPath = [401, 403, 404, 429, 503]

const fields = {
  campaigns: ['items', 'nextAfterId'],
  campaign: ['id', 'isDraft', 'name', 'type'],
  type: ['id', 'name'],
  offer: ['campaignId', 'deadline', 'email', 'mailTimerUrl', 'offerLinks', 'registeredAt', 'timeZone', 'warnings'],
  offerLink: ['pageId', 'pageUrl', 'url'],
}

export function holdToDescription(answer: Answer, path: string, description: Json, where: string): void {
  const operation = holdShape(answer, path, description, where)
  if (operation && answer.method !== 'HEAD' && answer.status < 300) holdFields(operation.name, answer, where)
}

/** Status, headers and body of any API that describes itself; without a body, its headers. */
export function holdShape(answer: Answer, path: string, description: Json, where: string): Operation | undefined {
  const operation = operationOf(description, answer.method, path)
  if (!operation) {
    assert.ok(ofEveryPath.includes(answer.status), `of no operation: ${where}`)
    return undefined
  }
  const declared = resolved(description, operation.responses[String(answer.status)])
  assert.ok(declared, `undeclared status: ${where}`)
  holdHeaders(answer, declared.headers ?? {}, description, where)
  if (answer.method === 'HEAD' || answer.status === 204) return operation
  const mediaType = (answer.headers['content-type'] ?? '').split(';')[0] ?? ''
  const content = declared.content?.[mediaType]
  assert.ok(content?.schema, `undeclared media type ${mediaType}: ${where}`)
  const validate = validatorOf(description, content.schema)
  assert.ok(validate(answer.body), `${where}: ${JSON.stringify(validate.errors)}`)
  return operation
}

/** What an endpoint was told, an event or a batch, against what `description` says of its kind. */
export function holdTold(told: { type: string; timestamp: string; data: Json }, description: Json): void {
  const kind = told.type === 'batch' ? told.data.events[0].type : told.type
  const { schema } = description.webhooks[kind].post.requestBody.content['application/json']
  const validate = validatorOf(description, schema)
  assert.ok(validate(told), `${kind}: ${JSON.stringify(validate.errors)}`)
}

function resolved(description: Json, node: Json): Json {
  if (typeof node?.$ref !== 'string') return node
  const names = node.$ref.slice(2).split('/')
  return names.reduce((at: Json, name: string) => at?.[name], description)
}

const ofTheContract = /^(x-request-id|cache-control|retry-after|www-authenticate|ratelimit-(limit|remaining|reset))$/

function holdHeaders(answer: Answer, declared: Json, description: Json, where: string): void {
  const names = new Map(Object.entries<Json>(declared).map(([name, header]) => [name.toLowerCase(), header]))
  for (const [name, reference] of names) {
    const header = resolved(description, reference)
    const value = answer.headers[name]
    if (header.required) assert.ok(value !== undefined, `declared header ${name} is missing: ${where}`)
    if (value === undefined || !header.schema) continue
    const validate = validatorOf(description, header.schema)
    const isNumber = resolved(description, header.schema).type === 'integer'
    assert.ok(validate(isNumber ? Number(value) : value), `header ${name}: ${value}: ${where}`)
  }
  for (const name of Object.keys(answer.headers))
    if (ofTheContract.test(name)) assert.ok(names.has(name), `undeclared header ${name}: ${where}`)
}

function holdFields(operation: string, { status, body }: Answer, where: string): void {
  const holdKeys = (value: object, expected: string[]) =>
    assert.deepEqual(
      Object.keys(value).sort(),
      expected,
      `not the fields of the specification: a new one goes into \`fields\` in test/support/description.ts: ${where}`,
    )
  if (operation === '/campaigns') {
    holdKeys(body, fields.campaigns)
    for (const campaign of body.items) {
      holdKeys(campaign, fields.campaign)
      holdKeys(campaign.type, fields.type)
    }
    return
  }
  const isRegistration = operation === '/campaigns/{campaignId}/leads'
  holdKeys(body, isRegistration ? [...fields.offer, 'created'].sort() : fields.offer)
  if (isRegistration) assert.equal(body.created, status === 201)
  for (const link of body.offerLinks) holdKeys(link, fields.offerLink)
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/

/** One for the whole file, without the passes that make a validator quicker: compiling is most of what it costs. */
const ajv = new Ajv2020({
  strict: true,
  allowUnionTypes: true,
  allErrors: true,
  validateFormats: true,
  // A linter looks at the description in test/api/description.test.ts.
  validateSchema: false,
  code: { optimize: false },
})
ajv.addVocabulary(['example', 'externalDocs', 'xml', 'discriminator'])
ajv.addFormat('uuid', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
ajv.addFormat('email', isMailbox)
ajv.addFormat('date-time', (text: string) => instant.test(text) && Temporal.Instant.from(text).toString() === text)
ajv.addFormat('uri', (text: string) => /^[a-z][a-z\d+.-]*:/i.test(text) && URL.canParse(text))
ajv.addFormat('int64', { type: 'number', validate: Number.isSafeInteger })

const validators = new WeakMap<object, ValidateFunction>()
/** By the schema's text: the servers of a file have descriptions of their own that say the same. */
const compiled = new Map<string, ValidateFunction>()

/** Compiled with every object closed, whether the description says so itself or not. */
function validatorOf(description: Json, schema: Json): ValidateFunction {
  let validate = validators.get(schema)
  if (!validate) {
    const closed = localReferences(resolved(description, schema))
    if (closed.type === 'object') closed.unevaluatedProperties ??= false
    if (JSON.stringify(closed).includes('"$ref"'))
      closed.$defs = { ...closed.$defs, ...localReferences(description.components?.schemas ?? {}) }
    const text = JSON.stringify(closed)
    validate = compiled.get(text) ?? ajv.compile(closed)
    compiled.set(text, validate)
    validators.set(schema, validate)
  }
  return validate
}

function localReferences(node: Json): Json {
  if (Array.isArray(node)) return node.map(localReferences)
  if (node === null || typeof node !== 'object') return node
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [
      name,
      name === '$ref' && typeof value === 'string'
        ? value.replace('#/components/schemas/', '#/$defs/')
        : localReferences(value),
    ]),
  )
}
