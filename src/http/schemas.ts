// Parts of the schemas of every surface.
import Type from 'typebox'

export const closed = { additionalProperties: false }
export const id = Type.Integer({ minimum: 1 })
export const instant = Type.String({ format: 'date-time' })
export const nullable = <T extends Type.TSchema>(schema: T, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description })
