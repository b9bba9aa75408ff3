// Shapes that several routes of the panel share.
import Type from 'typebox'
import { emailMaxLength } from '../../core/email.ts'

export const closed = { additionalProperties: false }

export const Email = Type.String({ format: 'email', maxLength: emailMaxLength })
/** 1 to 200 characters, not blank. PostgreSQL takes no NUL in a text. */
export const Name = Type.String({ maxLength: 200, pattern: '^\\s*[^\\s\\x00][^\\x00]*$' })
