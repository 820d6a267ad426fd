/** How JSON tells the members of a union apart. */
import type { NamedType, Type } from './ir.ts'

export type JsonType = 'array' | 'boolean' | 'number' | 'object' | 'string'

/** The JSON type of a type's values. */
export function jsonTypeOf(type: Type, typeOf: (id: string) => NamedType | undefined): JsonType {
  switch (type.is) {
    case 'list':
      return 'array'
    case 'map':
      return 'object'
    case 'integer':
      return 'number'
    case 'ref':
      return typeOf(type.to)?.is === 'struct' ? 'object' : 'string'
    default:
      return type.is
  }
}
