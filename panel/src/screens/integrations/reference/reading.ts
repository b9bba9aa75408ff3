// Reads the description for people: what is nested in it becomes lists of rows.

import type { ApiErrorCode, ApiOperation } from '../../../../../src/http/panel/reference.ts'
import type { AnswerOf } from '../../../api.ts'

export type Reference = AnswerOf<'GET /reference'>
export type Description = Reference['description']

/** As much of JSON Schema as the description uses. */
type Schema = {
  $ref?: string
  type?: string
  const?: unknown
  enum?: readonly unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  format?: string
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
  default?: unknown
  description?: string
}

export type Field = {
  /** With the names of what it stands in: `offerLinks[].url`. */
  name: string
  type: string
  isRequired: boolean
  description: string
  minimum: number | undefined
  maximum: number | undefined
  maxLength: number | undefined
  maxItems: number | undefined
  otherwise: string | undefined
  values: string[]
}

type Header = { description: string }
type Body = { schema: Schema; examples: Record<string, { value: object }> }
type Response = {
  description: string
  headers: Record<string, { $ref: string }>
  content: { 'application/json': Body }
}
type Parameter = { name: string; in: string; required?: boolean; description: string; schema: Schema }
type Operation = {
  operationId: string
  summary: string
  description: string
  parameters: Parameter[]
  requestBody?: { description: string; content: { 'application/json': Body } }
  responses: Record<string, Response>
}

type Answer = { status: string; description: string; fields: Field[]; example: string }
export type OperationRead = {
  name: ApiOperation
  method: string
  path: string
  summary: string
  description: string
  parameters: Field[]
  body: { description: string; fields: Field[]; example: string } | undefined
  answers: Answer[]
  errors: { status: string; code: ApiErrorCode }[]
}
type HeaderRead = {
  name: string
  description: string
  /** Statuses of the answers that have it, or of those few that do not. */
  on: string[]
  isExcept: boolean
}

export function readOperations({ paths, components }: Description): OperationRead[] {
  const schemas = components.schemas as Record<string, Schema>
  return eachOperation(paths).map(({ path, method, operation }) => ({
    name: operation.operationId as ApiOperation,
    method: method.toUpperCase(),
    path,
    summary: operation.summary,
    description: operation.description,
    parameters: operation.parameters.map(({ name, schema, description, required }) =>
      field(name, { ...schema, description }, required === true),
    ),
    body: operation.requestBody && {
      description: operation.requestBody.description,
      ...readBody(operation.requestBody.content['application/json'], schemas),
    },
    answers: eachResponse(operation)
      .filter(([status]) => !isError(status))
      .map(([status, { description, content }]) => ({
        status,
        description,
        ...readBody(content['application/json'], schemas),
      })),
    errors: eachResponse(operation)
      .filter(([status]) => isError(status))
      .flatMap(([status, { content }]) =>
        Object.keys(content['application/json'].examples).map((code) => ({
          status,
          code: code as ApiErrorCode,
        })),
      ),
  }))
}

/** The headers of all answers, and on which they stand. */
export function readHeaders({ paths, components }: Description): HeaderRead[] {
  const texts = components.headers as Record<string, Header>
  const responses = eachOperation(paths).flatMap(({ operation }) => eachResponse(operation))
  const references = responses.flatMap(([, { headers }]) => Object.entries(headers))
  const named = new Map(references.map(([name, { $ref }]) => [name, lastOf($ref)]))
  return [...named].map(([name, reference]) => {
    const statusesWith = (has: boolean) => [
      ...new Set(responses.flatMap(([status, { headers }]) => (name in headers === has ? [status] : []))),
    ]
    const [having, lacking] = [statusesWith(true), statusesWith(false)]
    const isExcept = lacking.length < having.length
    const on = isExcept ? lacking : having
    return { name, description: texts[reference]?.description ?? '', on: on.sort(), isExcept }
  })
}

/** What every error says in its body. */
export function readErrorBody({ components }: Description): Field[] {
  return fieldsOf(components.schemas.Error as Schema, {})
}

function eachOperation(paths: Description['paths']) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...{ path, method },
      operation: operation as unknown as Operation,
    })),
  )
}

const eachResponse = ({ responses }: Operation) => Object.entries(responses)
const isError = (status: string) => Number(status) >= 400
const lastOf = (reference: string) => reference.split('/').at(-1) as string

function readBody({ schema, examples }: Body, schemas: Record<string, Schema>) {
  const [example] = Object.values(examples)
  return { fields: fieldsOf(named(schema, schemas), schemas), example: JSON.stringify(example?.value, null, 2) }
}

const named = (schema: Schema, schemas: Record<string, Schema>) =>
  schema.$ref === undefined ? schema : (schemas[lastOf(schema.$ref)] as Schema)

function fieldsOf(schema: Schema, schemas: Record<string, Schema>, within = ''): Field[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const isList = property.items !== undefined
    const path = `${within}${name}${isList ? '[]' : ''}`
    const isRequired = schema.required?.includes(name) ?? false
    const below = isList ? named(property.items as Schema, schemas) : property
    return [field(`${within}${name}`, property, isRequired), ...fieldsOf(below, schemas, `${path}.`)]
  })
}

function field(name: string, schema: Schema, isRequired: boolean): Field {
  const told = schema.items ?? schema
  const { minimum, maximum, maxLength } = (schema.anyOf?.[0] ?? schema) as Schema
  return {
    ...{ name, isRequired, minimum, maximum, maxLength },
    type: typeOf(schema),
    description: schema.description ?? '',
    maxItems: schema.maxItems,
    otherwise: schema.default === undefined ? undefined : String(schema.default),
    values: (told.const === undefined ? (told.enum ?? []) : [told.const]).map(String),
  }
}

function typeOf({ type, anyOf, items, format }: Schema): string {
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' | ')
  if (items !== undefined) return `${typeOf(items)}[]`
  return format === undefined ? (type ?? 'object') : `${type} (${format})`
}
