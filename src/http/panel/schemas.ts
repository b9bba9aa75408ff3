// Shapes that several routes of the panel share.
import Type from 'typebox'
import { passwordMaxLength, passwordMinLength } from '../../access/passwords.ts'
import { emailMaxLength } from '../../core/email.ts'
import { refPattern } from '../../core/offer.ts'

export const Email = Type.String({ format: 'email', maxLength: emailMaxLength })
export const Password = Type.String({ minLength: passwordMinLength, maxLength: passwordMaxLength })
/** A guess at a password need not be a valid one. */
export const AnyPassword = Type.String({ minLength: 1, maxLength: passwordMaxLength })
/** A number in a query: fifteen digits are exact. */
export const Id = Type.String({ pattern: '^[1-9][0-9]{0,14}$' })
/** Of a lead. */
export const Ref = Type.String({ pattern: refPattern })
/** Of a link. */
export const Token = Type.String({ minLength: 1, maxLength: 100 })
/** 1 to 200 characters, not blank. PostgreSQL keeps neither NUL nor half a surrogate pair, as in `nameOf`. */
export const Name = Type.String({ maxLength: 200, pattern: '^\\s*[^\\s\\x00\\p{Cs}][^\\x00\\p{Cs}]*$' })
