/**
 * Types as the structural schemas of custom resource definitions: no references, one type for each value, and the public
 * prefix of extension keys, because definitions go to any cluster.
 */
import type { Field, NamedType, Scalar, StructType, Type } from '../../schema/named-type.ts'
import type { Model } from '../model/model.ts'
import { primitiveSchema } from '../model/primitive-schema.ts'

/** A JSON object of a definition. */
export type Schema = Readonly<Record<string, unknown>>

/** A value that a schema cannot describe further is kept as it is. */
const anything: Schema = { 'x-kubernetes-preserve-unknown-fields': true }

/** An amount with an optional suffix, as clusters write and accept it. */
const quantityPattern =
  '^[+-]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?[0-9]+)?$'

/** How the values of scalars with a text form are described. */
const scalarSchemas: Readonly<Record<Scalar, Schema>> = {
  time: { type: 'string', format: 'date-time' },
  'micro-time': { type: 'string', format: 'date-time' },
  duration: { type: 'string', format: 'duration' },
  quantity: {
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: quantityPattern,
    'x-kubernetes-int-or-string': true,
  },
  'int-or-string': {
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    'x-kubernetes-int-or-string': true,
  },
  'raw-extension': { type: 'object', ...anything },
  'fields-v1': { type: 'object', ...anything },
  any: anything,
}

/**
 * The schema of a struct with everything that it refers to written out. A struct inside itself is kept as it is from there on:
 * a definition cannot say more.
 */
export function structuralSchema(struct: StructType, model: Model): Schema {
  return structSchema(struct, { model, around: [] })
}

/** The model, and the ids of the structs around the one that is described. */
interface Place {
  readonly model: Model
  readonly around: readonly string[]
}

function structSchema(struct: StructType, { model, around }: Place): Schema {
  const inside = { model, around: [...around, struct.id] }
  const fields = struct.fields.filter(({ name }) => !(struct.root && name === 'metadata'))
  const properties = fields.map((field) => [field.name, fieldSchema(field, inside)] as const)
  const required = fields.filter((field) => field.required).map(({ name }) => name)
  return {
    ...told(struct),
    type: 'object',
    ...(required.length > 0 && { required }),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
    ...(struct.mapType === 'atomic' && { 'x-kubernetes-map-type': 'atomic' }),
    ...(struct.preserveUnknown && anything),
    ...rulesOf(struct),
  }
}

/** Types of another tree come without their texts: a definition must stay within what clients can annotate. */
function told({ external, description }: NamedType): Schema {
  return external === undefined ? { description } : {}
}

function fieldSchema(field: Field, place: Place): Schema {
  const owner = place.model.type(place.around.at(-1) ?? '')
  const { description: _, ...schema }: Schema = typeSchema(field.type, place)
  return {
    ...(owner.external === undefined && { description: field.description }),
    ...schema,
    ...defaultOf(field),
    ...listFacts(field, schema),
    ...(field.map === 'atomic' && { 'x-kubernetes-map-type': 'atomic' }),
  }
}

/** What an absent field is: as the schema says, or the zero of a plain value that is always written. */
function defaultOf({ default: declared, required, zero, type }: Field): Schema {
  if (declared !== undefined) return { default: declared }
  const value = zero === 'keep' && !required ? zeroOf(type) : undefined
  return value === undefined ? {} : { default: value }
}

function zeroOf(type: Type): unknown {
  if (type.is === 'boolean') return false
  if (!('bounds' in type) || Object.keys(type.bounds).length > 0) return undefined
  return type.is === 'string' ? '' : 0
}

/**
 * How a list merges. Each key of a map list must be in every item, or have a default: a list that cannot promise that is
 * replaced whole, as is one whose items may share their keys.
 */
function listFacts({ list, keys = [], duplicates, type }: Field, schema: Schema): Schema {
  if (type.is !== 'list' || list === undefined || list === 'atomic') {
    return list === undefined ? {} : { 'x-kubernetes-list-type': list }
  }
  if (duplicates) return { 'x-kubernetes-list-type': 'atomic' }
  if (list === 'set') return { 'x-kubernetes-list-type': 'set' }
  const items = schema.items as {
    required?: readonly string[]
    properties?: Record<string, object>
  }
  const promised = keys.every(
    (key) => items.required?.includes(key) || 'default' in (items.properties?.[key] ?? {}),
  )
  return promised
    ? { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': keys }
    : { 'x-kubernetes-list-type': 'atomic' }
}

function typeSchema(type: Type, place: Place): Schema {
  const schema = plainSchema(type, place)
  const own = type.rules ?? []
  if (own.length === 0) return schema
  const inherited = (schema[rulesKey] ?? []) as readonly object[]
  return { ...schema, [rulesKey]: [...inherited, ...publicRules(own)] }
}

function plainSchema(type: Type, place: Place): Schema {
  switch (type.is) {
    case 'list': {
      const { minItems, maxItems } = type
      return {
        type: 'array',
        items: typeSchema(type.items, place),
        ...(minItems !== undefined && { minItems }),
        ...(maxItems !== undefined && { maxItems }),
      }
    }
    case 'map':
      return { type: 'object', additionalProperties: typeSchema(type.values, place) }
    case 'ref':
      return namedSchema(place.model.type(type.to), place)
    default:
      return primitiveSchema(type)
  }
}

function namedSchema(type: NamedType, place: Place): Schema {
  switch (type.is) {
    case 'struct':
      return place.around.includes(type.id)
        ? { type: 'object', ...anything }
        : structSchema(type, place)
    case 'enum': {
      const values = type.closed ? { enum: [...type.values].sort() } : {}
      return { type: 'string', ...values, ...rulesOf(type) }
    }
    case 'scalar':
      return { ...scalarSchemas[type.scalar], ...rulesOf(type) }
    case 'union':
      return anything
  }
}

/** The key under which a schema has its rules. */
export const rulesKey = 'x-kubernetes-validations'

function rulesOf({ rules }: Pick<Type, 'rules'>): Schema {
  return rules === undefined || rules.length === 0 ? {} : { [rulesKey]: publicRules(rules) }
}

/** Rules without their positions in schema files. */
function publicRules(rules: NonNullable<Type['rules']>): readonly object[] {
  return rules.map(({ at: _, ...rule }) => rule)
}
