/** Random values of the types that schemas describe, for property tests. */
import fc, { type Arbitrary } from 'fast-check'
import type { Api } from '../../codegen/schema/ir.ts'
import type { Field, NamedType, Scalar, Type } from '../../codegen/schema/named-type.ts'

/** How deep structs go before optional fields are left out. */
const deepest = 6

/** Random values of the type with this id; optional fields come and go. */
export function valuesOf(api: Api, id: string): Arbitrary<unknown> {
  const types = new Map(api.types.map((type) => [type.id, type]))
  return named(id, types, 0)
}

type Types = ReadonlyMap<string, NamedType>

function named(id: string, types: Types, depth: number): Arbitrary<unknown> {
  const type = types.get(id)
  switch (type?.is) {
    case 'struct':
      return struct(type.fields, types, depth)
    case 'enum':
      return fc.constantFrom(...(type.values.length > 0 ? type.values : ['x']))
    case 'union':
      return fc.oneof(...type.members.map((member) => anyOf(member.type, types, depth + 1)))
    case 'scalar':
      return scalars[type.scalar]
    case undefined:
      throw new Error(`there is no type ${id}`)
  }
}

function struct(fields: readonly Field[], types: Types, depth: number): Arbitrary<unknown> {
  const given = fields.filter(({ required }) => required || depth < deepest)
  const values = given.map((field) => [field.name, anyOf(field.type, types, depth + 1)] as const)
  const requiredKeys = given.filter(({ required }) => required).map(({ name }) => name)
  return fc.record(Object.fromEntries(values), { requiredKeys, noNullPrototype: true })
}

const word = fc.stringMatching(/^[a-z]{1,6}$/)

function anyOf(type: Type, types: Types, depth: number): Arbitrary<unknown> {
  switch (type.is) {
    case 'string':
      if (type.bounds.values) return fc.constantFrom(...type.bounds.values)
      return type.format === undefined ? word : fc.constantFrom('YQ==', 'YWI=')
    case 'integer': {
      const { minimum = 0, maximum = 1000 } = type.bounds
      return fc.integer({ min: minimum, max: Math.min(maximum, minimum + 1000) })
    }
    case 'number':
      return fc.constantFrom(0, 0.5, 7)
    case 'boolean':
      return fc.boolean()
    case 'list':
      return fc.array(anyOf(type.items, types, depth + 1), { minLength: 1, maxLength: 2 })
    case 'map':
      return fc.dictionary(word, anyOf(type.values, types, depth + 1), {
        maxKeys: 2,
        noNullPrototype: true,
      })
    case 'ref':
      return named(type.to, types, depth)
  }
}

const scalars: Readonly<Record<Scalar, Arbitrary<unknown>>> = {
  time: fc.constantFrom('2024-01-01T00:00:00Z', '2030-12-31T23:59:59Z'),
  'micro-time': fc.constant('2024-01-01T00:00:00.000001Z'),
  duration: fc.constantFrom('1m0s', '1h0m0s'),
  quantity: fc.constantFrom('1', '500m', '2Gi'),
  'int-or-string': fc.oneof(fc.integer({ min: 0, max: 9 }), word),
  'raw-extension': fc.dictionary(word, word, { maxKeys: 2, noNullPrototype: true }),
  'fields-v1': fc.dictionary(word, fc.constant({}), { maxKeys: 2, noNullPrototype: true }),
  any: fc.oneof(word, fc.integer({ min: 0, max: 9 })),
}
