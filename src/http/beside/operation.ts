import type { Static, TSchema } from 'typebox'
import type { AnyErrorCode } from '../../core/errors.ts'

/** Of an API beside the public one: a table of them makes its routes and its description. */
export type Operation<
  Asked = never,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
  Answer extends TSchema = TSchema,
> = {
  id: string
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  summary: string
  query?: Query
  body?: Body
  /** Null: the answer has no body. */
  answer: Answer | null
  status: 200 | 201 | 202 | 204
  /** 200 instead where `created` of the answer is false. */
  isRepeatable?: true
  errors: readonly AnyErrorCode[]
  /** `query` and `body` have passed their schemas. */
  run(asked: Asked & { query: Static<Query>; body: Static<Body> }): Promise<Static<Answer>>
}

type Rest<Of extends Operation> = Partial<Of> & Pick<Of, 'run'>

/** A row of the table. `route` is `GET /endpoints`; without a `status` it answers 200. */
export function operation<Asked, Query extends TSchema, Body extends TSchema, Answer extends TSchema>(
  route: string,
  id: string,
  summary: string,
  answer: Answer | null,
  rest: Rest<Operation<Asked, Query, Body, Answer>>,
): Operation<Asked> {
  const [method, path] = route.split(' ') as [Operation['method'], string]
  return { status: 200, errors: [], ...rest, id, method, path, summary, answer }
}

/** What a path names in braces, such as `campaignId`. */
export const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
