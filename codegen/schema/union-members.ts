/** How JSON tells the members of a union apart. */
import type { NamedType, Type } from './named-type.ts'

/** The types that JSON values have, null aside. */
export type JsonType = 'array' | 'boolean' | 'number' | 'object' | 'string'

/** The JSON type of the values of a type, by which a reader tells the members of a union apart. */
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
