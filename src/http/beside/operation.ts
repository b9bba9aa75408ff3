import type { TSchema } from 'typebox'
import type { AnyErrorCode } from '../../core/errors.ts'

/** Of an API beside the public one: a table of them makes its routes and its description. */
export type Operation<Asked = never> = {
  id: string
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  path: string
  summary: string
  query?: TSchema
  body?: TSchema
  /** The name of a schema; none where the answer has no body. */
  answer: string | null
  status: 200 | 201 | 202 | 204
  /** 200 instead where `created` of the answer is false. */
  isRepeatable?: true
  errors: readonly AnyErrorCode[]
  run(asked: Asked): Promise<unknown>
}

type Rest<Asked> = Partial<Operation<Asked>> & Pick<Operation<Asked>, 'run'>

/** A row of the table. `route` is `GET /endpoints`; without a `status` it answers 200. */
export function operation<Asked>(route: string, id: string, summary: string, answer: string | null, rest: Rest<Asked>) {
  const [method, path] = route.split(' ') as [Operation['method'], string]
  return { status: 200, errors: [], ...rest, id, method, path, summary, answer } satisfies Operation<Asked>
}

/** What a path names in braces, such as `campaignId`. */
export const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
