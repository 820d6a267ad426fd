/** The schema of a type without parts, in the words that documents and definitions share. */
import type { Type } from '../../schema/named-type.ts'

/** A type without parts. */
type PrimitiveType = Extract<Type, { is: 'string' | 'integer' | 'number' | 'boolean' }>

/** The schema of the type with its bounds, without its rules. */
export function primitiveSchema(type: PrimitiveType): Readonly<Record<string, unknown>> {
  switch (type.is) {
    case 'string': {
      const { values, ...bounds } = type.bounds
      const format = type.format === undefined ? {} : { format: type.format }
      return { type: 'string', ...format, ...(values && { enum: values }), ...bounds }
    }
    case 'integer':
      return { type: 'integer', format: type.format, ...range(type.bounds) }
    case 'number':
      return { type: 'number', format: 'double', ...range(type.bounds) }
    case 'boolean':
      return { type: 'boolean' }
  }
}

/** OpenAPI 3.0 writes an exclusive bound as a bound and a flag, and so do definitions. */
function range(bounds: Extract<Type, { is: 'integer' }>['bounds']): object {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = bounds
  return {
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
    ...(exclusiveMinimum !== undefined && { minimum: exclusiveMinimum, exclusiveMinimum: true }),
    ...(exclusiveMaximum !== undefined && { maximum: exclusiveMaximum, exclusiveMaximum: true }),
  }
}
