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

/** What a path names in braces, such as `campaignId`. */
export const namesIn = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
