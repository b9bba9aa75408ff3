// The descriptions of the APIs beside the public one, OpenAPI 3.1, made of their tables of operations.
import { type AnyErrorCode, bodyLimitBytes, errorStatus } from '../../core/errors.ts'
import { eventIdPattern } from '../../core/events.ts'
import { anyTime, components, everyAnswer, failuresOf, rate, schema } from '../public/description.ts'
import { ErrorBody, pageMaxSize, pageSize } from '../public/schemas.ts'
import { namesIn, type Operation } from './operation.ts'

const version = '1.0.0'

const always: readonly AnyErrorCode[] = ['UNAUTHORIZED', 'ACCOUNT_SUSPENDED', 'RATE_LIMITED', 'VALIDATION_ERROR']
const ofBodies: readonly AnyErrorCode[] = ['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']

const json = (name: string, more: object = {}) => ({ 'application/json': { schema: schema(name), ...more } })

const parameter = (name: string, place: 'path' | 'query', of: object) => ({
  name,
  in: place,
  required: place === 'path',
  schema: of,
})
const id = { type: 'integer', minimum: 1 }
const inPath: Record<string, object> = { eventId: { type: 'string', pattern: eventIdPattern } }
/** A query is text, but a generated client has a number for `nextAfterId`. */
const inQuery: Record<string, object> = {
  limit: { type: 'integer', minimum: 1, maximum: pageMaxSize, default: pageSize },
  afterId: { ...id, maximum: Number.MAX_SAFE_INTEGER, description: '`nextAfterId` of the previous page.' },
}

type Described = {
  title: string
  description: string
  path: string
  tags: { name: string; description: string }[]
  operations: readonly Operation[]
  /** Of the operations, by name. */
  schemas: Record<string, object>
  /** Every operation needs the scope. */
  scope?: string
  webhooks?: object
}

/** The description, with the whole base address of the API, relative or absolute, as its server. */
export function describe({ title, description, path, tags, operations, schemas, scope, webhooks }: Described): object {
  const codes = scope === undefined ? always : [...always, 'FORBIDDEN' as const]
  const tag = tags[0]?.name as string
  const paths: Record<string, Record<string, object>> = {}
  for (const one of operations) {
    paths[one.path] = { ...paths[one.path], [one.method.toLowerCase()]: operationOf(one, tag, codes, schemas) }
  }
  const { securitySchemes } = components
  const apiKey = scope === undefined ? securitySchemes.apiKey : keyWith(scope)
  const own = operations.flatMap(({ errors }) => errors)
  const code = { type: 'string', enum: [...new Set([...Object.keys(errorStatus), ...codes, ...own])] }
  const error = { ...ErrorBody, properties: { ...ErrorBody.properties, code } }
  return {
    openapi: '3.1.0',
    info: { title, version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: path }],
    security: [{ apiKey: [] }],
    tags,
    paths,
    ...(webhooks && { webhooks }),
    components: { securitySchemes: { apiKey }, headers, schemas: { ...schemas, Error: error } },
  }
}

/** The public API's, but the request history has no requests of these APIs. */
const headers = {
  ...components.headers,
  XRequestId: { ...components.headers.XRequestId, description: 'Names this request; an error has it as `requestId`.' },
}

const keyWith = (scope: string) => ({
  ...components.securitySchemes.apiKey,
  description: `A key with the scope \`${scope}\`.`,
})

function operationOf(
  { id: operationId, path, summary, query, body, answer, status, errors, isRepeatable }: Operation,
  tag: string,
  codes: readonly AnyErrorCode[],
  schemas: Record<string, object>,
) {
  const names = namesIn(path).map((name) => parameter(name, 'path', inPath[name] ?? id))
  const asked = Object.entries((query as { properties?: Record<string, object> })?.properties ?? {})
  const parameters = [...names, ...asked.map(([name, of]) => parameter(name, 'query', inQuery[name] ?? of))]
  const contentOf = (wanted: object) => {
    const [name = ''] = Object.keys(schemas).filter((known) => schemas[known] === wanted)
    return json(name)
  }
  const success = { headers: { ...everyAnswer, ...rate }, ...(answer && { content: contentOf(answer) }) }
  const failures = [...codes, ...(body ? ofBodies : []), ...errors, ...anyTime]
  return {
    operationId,
    summary,
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: { required: true, description: `At most ${bodyLimitBytes} bytes.`, content: contentOf(body) },
    }),
    responses: {
      [status]: { description: summary, ...success },
      ...(isRepeatable && { 200: { description: 'It existed already.', ...success } }),
      ...failuresOf(failures),
    },
  }
}
