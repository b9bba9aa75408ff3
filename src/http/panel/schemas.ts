// Shapes that several routes of the panel share.
import Type from 'typebox'
import { passwordMaxLength, passwordMinLength } from '../../access/passwords.ts'
import { emailMaxLength } from '../../core/email.ts'
import { refPattern } from '../../core/offer.ts'

export const Email = Type.String({ format: 'email', maxLength: emailMaxLength })
export const Password = Type.String({ minLength: passwordMinLength, maxLength: passwordMaxLength })
/** A guess at a password need not be a valid one. */
export const AnyPassword = Type.String({ minLength: 1, maxLength: passwordMaxLength })
/** An id in a path or a query: fifteen digits are exact as a number. */
export const idDigits = '[1-9][0-9]{0,14}'
export const Id = Type.String({ pattern: `^${idDigits}$` })
/** Of a lead. */
export const Ref = Type.String({ pattern: refPattern })
/** Of a link. */
export const Token = Type.String({ minLength: 1, maxLength: 100 })
/** 1 to 200 characters, not blank. PostgreSQL keeps neither NUL nor half a surrogate pair, as in `nameOf`. */
export const Name = Type.String({ maxLength: 200, pattern: '^\\s*[^\\s\\x00\\p{Cs}][^\\x00\\p{Cs}]*$' })
