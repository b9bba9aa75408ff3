// The one reader of JSON for every surface, and the one validator: nothing is coerced, trimmed or dropped.
import { isUtf8 } from 'node:buffer'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isEmail } from '../core/email.ts'
import { Refusal } from './errors.ts'
import { valuesOf } from './framework.ts'

/**
 * Stops at the first fault: a hostile body cannot make us list thousands. That the schemas are well formed, and can be
 * compiled, is for test/http/schemas.test.ts to say: at each start it would take a sixth of the time.
 */
const ajv = new Ajv2020({
  strict: true,
  strictTypes: false,
  validateSchema: false,
  allErrors: false,
  formats: { email: isEmail },
})

/** A schema is compiled with the first request that it is held against: all at once would be a sixth of a start. */
function validatorOf(schema: object) {
  let compiled: ValidateFunction | undefined
  const validate = (given: unknown): boolean => {
    compiled ??= ajv.compile(schema)
    const isValid = compiled(given)
    validate.errors = compiled.errors ?? null
    return isValid
  }
  validate.errors = null as ErrorObject[] | null
  return validate
}

/** `application/json` in UTF-8, uncompressed, and nothing else, in this scope. */
export function useJson(scope: FastifyInstance): void {
  scope.setValidatorCompiler(({ schema }) => validatorOf(schema as object))
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
