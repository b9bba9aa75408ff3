// The one reader of JSON for every surface, and the one validator: nothing is coerced, trimmed or dropped.
import { isUtf8 } from 'node:buffer'
import { Ajv2020, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isEmail } from '../core/email.ts'
import { Refusal } from './errors.ts'
import { valuesOf } from './framework.ts'

/**
 * Stops at the first fault: a hostile body cannot make us list thousands. test/http/schemas.test.ts checks that the
 * schemas are well formed and compile: at each start that would take a sixth of the time.
 */
const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  validateSchema: false,
  allErrors: false,
  // Each error then has the schema that was broken, which gives its message.
  verbose: true,
  formats: { email: isEmail },
})

/** A schema is compiled when a request first needs it: all at once would take a sixth of the start. */
function validatorOf(schema: object) {
  let compiled: ValidateFunction | undefined
  const validate = (given: unknown): boolean => {
    compiled ??= ajv.compile(schema)
    const isValid = compiled(given)
    validate.errors = compiled.errors ? [inOurWords(compiled.errors)] : null
    return isValid
  }
  validate.errors = null as ErrorObject[] | null
  return validate
}

/** In the words of core/fault.ts. If null is allowed too, the other schema says what is wrong. */
function inOurWords(errors: ErrorObject[]): ErrorObject {
  const error = errors.find(({ parentSchema }) => parentSchema?.type !== 'null') as ErrorObject
  const orNull = /\/anyOf\/\d+\/\w+$/.test(error.schemaPath) ? ', or null' : ''
  const said = { required: 'is missing', additionalProperties: 'is unknown' }[error.keyword]
  const message = said ?? `must be ${wantedBy(error.parentSchema ?? {})}${orNull}`
  // `verbose` also adds the value, which must not be told.
  const { keyword, instancePath, schemaPath, params } = error
  return { keyword, instancePath, schemaPath, params, message }
}

function wantedBy({ type, enum: names, const: only, ...wanted }: AnySchemaObject): string {
  if (names !== undefined || only !== undefined) return `one of ${[names ?? only].flat().join(', ')}`
  if (type === 'boolean') return 'true or false'
  if (type === 'integer') return `a whole number${range('from', wanted.minimum, wanted.maximum)}`
  if (type === 'array') {
    const items = range('of', wanted.minItems, wanted.maxItems)
    return `a list${items && `${items} items`}${wanted.uniqueItems ? ' without repeats' : ''}`
  }
  if (type !== 'string') return `an object${wanted.minProperties ? ' with at least one property' : ''}`
  const length = range('of', wanted.minLength, wanted.maxLength)
  return `a text${length && `${length} characters`}${wanted.pattern || wanted.format ? ' in the right form' : ''}`
}

function range(word: 'from' | 'of', least?: number, most?: number): string {
  if (most === undefined) return least === undefined ? '' : ` of ${least} or more`
  return least === undefined ? ` of at most ${most}` : ` ${word} ${least} to ${most}`
}

/** `application/json` in UTF-8, uncompressed, and nothing else, in this scope. */
export function useJson(scope: FastifyInstance): void {
  useValidator(scope)
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      const types = valuesOf(request.raw.rawHeaders, 'content-type')
      const { 'content-encoding': encoding = 'identity' } = request.headers
      if (types.length !== 1 || !isInUtf8(types[0] as string) || !plain.test(encoding)) {
        throw new Refusal('UNSUPPORTED_MEDIA_TYPE')
      }
      return parseJson(body)
    },
  )
}

/** Validates what a request brings against the schemas of its route. */
export function useValidator(scope: FastifyInstance): void {
  scope.setValidatorCompiler(({ schema }) => validatorOf(schema as object))
}

/** RFC 8259: one JSON text in UTF-8. A byte order mark is none of JSON's white space. @throws Refusal */
export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new Refusal('INVALID_JSON')
  try {
    return JSON.parse(body.toString('utf8'))
  } catch {
    throw new Refusal('INVALID_JSON')
  }
}

/** Content codings that change nothing. */
const plain = /^\s*identity\s*(?:,\s*identity\s*)*$/i

const parameter = /;\s*([^\s=;]+)(?:\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*))?/g

/** Parameters other than `charset` are ignored (contract, row 7). */
function isInUtf8(type: string): boolean {
  for (const [, name, value = ''] of type.matchAll(parameter)) {
    if (name?.toLowerCase() === 'charset' && !/^(?:utf-8|"utf-8")$/i.test(value.trim())) return false
  }
  return true
}
